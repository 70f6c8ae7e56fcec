import { checkArguments } from '../../kernel/check-arguments.ts'
import { answer, type Env, type Outcome, step } from '../../kernel/index.ts'
import { textsProblem } from '../boxes/text-limits.ts'
import type { CatalogEvent } from '../events.ts'
import { readVersionNumber } from './create.ts'
import type { Version } from './model.ts'

/**
 * The changes of a version; omitted fields stay unchanged.
 */
export interface UpdateVersionInput {
  /** A new number, or another spelling of the current one. */
  readonly version?: string | undefined
  /** Markdown. */
  readonly description?: string | undefined
}

/**
 * Changes the description or the number of a version in any status: clients do both to released versions.
 *
 * @remarks
 * The caller must check that a new number is free, because one version does not know the others.
 *
 * @returns the version; or `invalid_version_number`, `text_too_long`.
 *
 * @example
 * ```ts
 * import { systemEnv, unwrap } from 'plinth'
 * import { createVersion, updateVersion } from 'plinth/catalog'
 *
 * const env = systemEnv()
 * const version = unwrap(createVersion(undefined, { boxId: 'b1', version: '1.0' }, env))
 * unwrap(updateVersion(version, { version: '1.1' }, env)).number // '1.1'
 * ```
 */
export function updateVersion(
  version: Version,
  input: UpdateVersionInput,
  env: Env,
): Outcome<Version, Version, CatalogEvent, 'invalid_version_number' | 'text_too_long'> {
  checkArguments('version input env', version, input, env)
  const unsound = textsProblem(input)
  if (unsound) return unsound
  const number = input.version === undefined ? undefined : readVersionNumber(input.version)
  if (number && 'refusal' in number) return number
  const text = number?.text ?? version.number
  const description = input.description ?? version.description
  if (text === version.number && description === version.description) return answer(version, version)
  const outcome = step(version, (draft, emit: (event: CatalogEvent) => void) => {
    draft.number = text
    draft.canonical = number?.canonical ?? version.canonical
    draft.description = description
    draft.updatedAt = env.now
    emit({ type: 'version.updated', version: text })
  })
  return { ...outcome, value: outcome.state }
}
