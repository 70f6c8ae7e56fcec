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

/**
 * Whether a path (relative to its namespace, no leading slash) needs `sudo` beside the capability for what is done.
 *
 * @param operation - what is done there: a folder that is listed may be written without its slash
 *
 * @example
 * ```ts
 * import { needsSudo } from 'plinth/acl'
 *
 * needsSudo('sys/seal') // true
 * needsSudo('secret/data/app') // false
 * needsSudo('sys/leases/lookup', 'list') // true
 * ```
 *
 * @public
 */
export function needsSudo(path: string, operation?: Operation): boolean {
  const asked = (operation === 'list' || operation === 'scan') && !path.endsWith('/') ? `${path}/` : path
  return sudoPaths.some((pattern) =>
    pattern.endsWith('*') ? asked.startsWith(pattern.slice(0, -1)) : path === pattern,
  )
}
