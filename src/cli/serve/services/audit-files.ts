import { type LineFile, lineFile } from '../../../http/node/index.ts'
import type { AuditDevice } from '../../../secrets/index.ts'
import { UserError } from '../../user-error.ts'
import type { AuditConfig } from '../audit-config.ts'
import type { Log } from '../log.ts'

/** The audit files of a server. */
export interface AuditFiles {
  readonly devices: readonly AuditDevice[]
  /** Reopens every file after log rotation. */
  readonly reopen: () => Promise<void>
  readonly close: () => Promise<void>
}

/** Opens the audit files of a configuration; if one cannot be opened, the start fails. */
export async function openAuditFiles(configured: readonly AuditConfig[], log: Log): Promise<AuditFiles> {
  const opened: { readonly config: AuditConfig; readonly file: LineFile }[] = []
  for (const config of configured) {
    const file = await lineFile(config.file).catch((error: unknown) => {
      const reason = error instanceof Error ? error.message : String(error)
      throw new UserError(`audit "${config.name}": cannot open ${config.file}: ${reason}`)
    })
    opened.push({ config, file })
  }
  return {
    devices: opened.map(({ config, file }) => ({
      path: config.name,
      sink: file,
      description: config.description,
      hmacAccessor: config.hmacAccessor,
      elideListResponses: config.elideListResponses,
      options: { file_path: config.file },
    })),
    reopen: async () => {
      for (const { config, file } of opened)
        await file.reopen().then(
          () => log.info(`audit: reopened ${config.file}`),
          (error: unknown) =>
            log.error(
              `audit: ${config.file} could not be reopened, and the old file stays in use: ${error instanceof Error ? error.message : String(error)}`,
            ),
        )
    },
    close: async () => {
      for (const { file } of opened) await file.close()
    },
  }
}
