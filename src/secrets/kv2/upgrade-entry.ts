import type { Env } from '../../kernel/index.ts'
import type { KvConfig, Secret } from './model.ts'
import { defaultConfig, newSecret } from './rules.ts'
import { addVersion } from './write-secret.ts'

/**
 * The secret that replaces an unversioned entry when its mount is upgraded to version 2: its data is version 1, written
 * now (the entry's own age is not stored).
 *
 * @example
 * ```ts
 * import { upgradeEntry } from 'plinth/kv'
 *
 * upgradeEntry({ now: Date.UTC(2026, 0, 1), newId: () => 'a' }).current // 1
 * ```
 */
export const upgradeEntry = (env: Env, config: KvConfig = defaultConfig): Secret =>
  addVersion(newSecret(env.newId('secret'), env.now), env, config).state
