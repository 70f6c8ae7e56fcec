import type { Operation } from './capabilities.ts'

/**
 * The paths whose every use also needs the `sudo` capability, relative to their namespace. A trailing `*`
 * covers everything below.
 */
const sudoPaths = [
  'auth/token/accessors*',
  'auth/token/revoke-orphan*',
  'sys/audit',
  'sys/audit/*',
  'sys/auth/*',
  'sys/config/auditing/*',
  'sys/config/cors',
  'sys/config/ui/headers*',
  'sys/internal/acl/who',
  'sys/leases/lookup/*',
  'sys/leases/revoke-force/*',
  'sys/leases/revoke-prefix/*',
  'sys/plugins/catalog/*',
  'sys/raw*',
  'sys/rekey/backup',
  'sys/remount',
  'sys/revoke-force/*',
  'sys/revoke-prefix/*',
  'sys/rotate*',
  'sys/seal',
  'sys/step-down',
] as const

/** The same as a pattern: none of them contains another character with a meaning there. */
const sudoPath = new RegExp(
  `^(?:${sudoPaths.map((path) => (path.endsWith('*') ? path.slice(0, -1) : `${path}$`)).join('|')})`,
)

/**
 * Whether a path (relative to its namespace, without a leading slash) needs `sudo` in addition to the capability of the
 * operation.
 *
 * @param operation - the operation there: the path of a listed folder may lack its slash
 *
 * @example
 * ```ts
 * import { needsSudo } from 'plinth/acl'
 *
 * needsSudo('sys/seal') // true
 * needsSudo('secret/data/app') // false
 * needsSudo('sys/leases/lookup', 'list') // true
 * ```
 */
export function needsSudo(path: string, operation?: Operation): boolean {
  const listing = operation === 'list' || operation === 'scan'
  return sudoPath.test(path) || (listing && sudoPath.test(`${path}/`))
}
