import { type LineFile, lineFile, lineSocket } from '../../../http/node/index.ts'
import type { AuditDevice, AuditTarget, OpenedAuditSink } from '../../../secrets/index.ts'
import { UserError } from '../../user-error.ts'
import type { AuditConfig } from '../audit-config.ts'
import type { Log } from '../log.ts'

/** The files and sockets of the audit devices of a server. */
export interface AuditSinks {
  /** The devices of its configuration. */
  readonly devices: readonly AuditDevice[]
  /** Opens the target of a device that is enabled over HTTP. */
  readonly open: (target: AuditTarget) => Promise<OpenedAuditSink>
  readonly close: () => Promise<void>
}

/**
 * Opens the audit devices of a configuration; if one cannot be opened, the start fails. SIGHUP reopens all files, after
 * log rotation has moved them; without one it ends the process, as by default.
 */
export async function openAuditSinks(configured: readonly AuditConfig[], log: Log): Promise<AuditSinks> {
  const files = new Map<LineFile, string>()
  const reopen = async () => {
    for (const [file, path] of files)
      await file.reopen().then(
        () => log.info(`audit: reopened ${path}`),
        (error: unknown) =>
          log.error(
            `audit: ${path} could not be reopened, and the old file stays in use: ${error instanceof Error ? error.message : String(error)}`,
          ),
      )
  }
  const whenMoved = () => void reopen()
  const open = async (target: AuditTarget): Promise<OpenedAuditSink> => {
    if (target.type === 'socket') return lineSocket(target)
    const file = await lineFile(target.path)
    if (files.size === 0) process.on('SIGHUP', whenMoved)
    files.set(file, target.path)
    const close = async () => {
      files.delete(file)
      if (files.size === 0) process.off('SIGHUP', whenMoved)
      await file.close()
    }
    return { write: file.write, close }
  }
  const sinks: OpenedAuditSink[] = []
  const devices: AuditDevice[] = []
  for (const { name, target, description, hmacAccessor, elideListResponses } of configured) {
    const where = target.type === 'file' ? target.path : target.address
    const sink = await open(target).catch((error: unknown) => {
      const reason = error instanceof Error ? error.message : String(error)
      throw new UserError(`audit "${name}": cannot open ${where}: ${reason}`)
    })
    sinks.push(sink)
    const options =
      target.type === 'file' ? { file_path: where } : { address: where, socket_type: target.socketType }
    devices.push({
      path: name,
      type: target.type,
      sink,
      description,
      hmacAccessor,
      elideListResponses,
      options,
    })
  }
  return {
    devices,
    open,
    close: async () => {
      for (const sink of sinks) await sink.close()
    },
  }
}
