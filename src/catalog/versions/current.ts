import type { Version } from './model.ts'
import { compareVersionNumbers } from './number.ts'

/**
 * Versions from the newest number to the oldest, in the client's own ordering.
 *
 * @example
 * ```ts
 * import { systemEnv, unwrap } from 'plinth'
 * import { createVersion, newestFirst } from 'plinth/catalog'
 *
 * const make = (version: string) => unwrap(createVersion(undefined, { boxId: 'b1', version }, systemEnv()))
 * newestFirst([make('1.9'), make('1.10')]).map(({ number }) => number) // ['1.10', '1.9']
 * ```
 */
export const newestFirst = (versions: readonly Version[]): Version[] =>
  versions.toSorted((a, b) => compareVersionNumbers(b.canonical, a.canonical))

/**
 * The version that a client gets by default: the highest active one. A pre-release counts like any other.
 *
 * @example
 * ```ts
 * import { systemEnv, unwrap } from 'plinth'
 * import { createVersion, currentVersion } from 'plinth/catalog'
 *
 * const make = (version: string) => unwrap(createVersion(undefined, { boxId: 'b1', version }, systemEnv()))
 * currentVersion([{ ...make('1.0'), status: 'active' }, make('2.0')])?.number // '1.0'
 * ```
 */
export function currentVersion(versions: readonly Version[]): Version | undefined {
  let best: Version | undefined
  for (const version of versions)
    if (
      version.status === 'active' &&
      (!best || compareVersionNumbers(version.canonical, best.canonical) > 0)
    )
      best = version
  return best
}
