import { type LineFile, lineFile } from './line-file.ts'
import { type LineSocket, type LineSocketOptions, lineSocket } from './line-socket.ts'

/**
 * Opens a file or a socket for lines: the option `openAuditSink` of a secrets service.
 *
 * @throws the system's error if it cannot be opened
 *
 * @example
 * ```ts
 * import { createSecrets } from 'plinth/secrets'
 * import { openLines } from 'plinth/node'
 *
 * // PUT /v1/sys/audit/file {"type": "file", "options": {"file_path": "/var/log/audit.log"}}
 * const secrets = createSecrets({ openAuditSink: openLines })
 * await secrets.close()
 * ```
 */
export const openLines = (
  target:
    | { readonly type: 'file'; readonly path: string }
    | ({ readonly type: 'socket' } & LineSocketOptions),
): Promise<LineFile | LineSocket> => (target.type === 'file' ? lineFile(target.path) : lineSocket(target))
