import { checkInput } from '../../kernel/check-input.ts'
import { answer, type Env, type Outcome } from '../../kernel/index.ts'
import { checkCounts } from './check-counts.ts'
import type { KvConfig } from './model.ts'

/**
 * Changes a mount's settings; omitted fields stay unchanged. Existing versions keep their deletion time.
 *
 * @param input - `deleteVersionAfterSeconds`: 0 clears it; negative means that versions never expire, even if their
 *   secret sets a time
 *
 * @example
 * ```ts
 * import { unwrap } from 'plinth'
 * import { configureKv, defaultConfig } from 'plinth/kv'
 *
 * const env = { now: Date.UTC(2026, 0, 1), newId: () => 'a' }
 * const changed = configureKv(defaultConfig, { maxVersions: 3, deleteVersionAfterSeconds: -60 }, env)
 * unwrap(changed) // { maxVersions: 3, casRequired: false, deleteVersionAfterSeconds: -1 }
 * ```
 */
export function configureKv(
  config: KvConfig,
  input: { readonly [Name in keyof KvConfig]?: KvConfig[Name] | undefined },
  _env?: Env,
): Outcome<KvConfig, KvConfig> {
  checkInput(
    input,
    {},
    { maxVersions: 0, casRequired: false, metadataCasRequired: false, deleteVersionAfterSeconds: 0 },
  )
  checkCounts({ maxVersions: input.maxVersions })
  const {
    maxVersions = config.maxVersions,
    casRequired = config.casRequired,
    metadataCasRequired = config.metadataCasRequired,
    deleteVersionAfterSeconds = config.deleteVersionAfterSeconds,
  } = input
  if (Object.values(input).every((value) => value === undefined)) return answer(config, config)
  const next: KvConfig = {
    maxVersions,
    casRequired,
    ...(metadataCasRequired === undefined ? {} : { metadataCasRequired }),
    deleteVersionAfterSeconds: Math.max(-1, deleteVersionAfterSeconds),
  }
  return answer(next, next)
}
