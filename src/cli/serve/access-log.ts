import type { RequestRecord } from '../../http/index.ts'
import { type LineFile, lineFile } from '../../http/node/index.ts'
import { nextMacrotask } from '../../kernel/next-macrotask.ts'
import { UserError } from '../user-error.ts'
import type { ServiceName } from './flags.ts'
import type { Log } from './log.ts'

/** What services report of a request: the caller is a name, or the owner of a token of the secrets service. */
export type ObservedRequest = RequestRecord<string | { readonly displayName: string }>

/** The access log of a server: one line of JSON for each request, without secrets. */
export interface AccessLog {
  readonly write: (service: ServiceName, record: ObservedRequest) => void
  /** Flushes and closes it. */
  readonly close: () => Promise<void>
}

/**
 * Opens an access log: a file, which SIGHUP reopens after log rotation has moved it, or standard error for `-`.
 *
 * @throws UserError if the file cannot be opened
 */
export async function openAccessLog(path: string, log: Log): Promise<AccessLog> {
  const file =
    path === '-'
      ? standardError()
      : await lineFile(path).catch((error: unknown) => {
          throw new UserError(`--access-log: cannot open ${path}: ${reasonOf(error)}`)
        })
  const reopen = () =>
    void file.reopen().then(
      () => log.info(`access log: reopened ${path}`),
      (error: unknown) =>
        log.error(
          `access log: ${path} could not be reopened, and the old file stays in use: ${reasonOf(error)}`,
        ),
    )
  if (path !== '-') process.on('SIGHUP', reopen)
  let lost = 0
  return {
    write: (service, record) =>
      void file.write(lineOf(service, record)).then(
        () => {
          if (lost > 0) log.error(`access log: ${path} can be written again; ${lost} lines were lost`)
          lost = 0
        },
        (error: unknown) => {
          if (lost === 0) log.error(`access log: ${path} cannot be written: ${reasonOf(error)}`)
          lost += 1
        },
      ),
    close: async () => {
      process.off('SIGHUP', reopen)
      await file.close()
    },
  }
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** Standard error as a file of lines: those of one turn of the event loop are written together. */
function standardError(): LineFile {
  let waiting = ''
  let flushed: Promise<void> | undefined
  const flush = async () => {
    await nextMacrotask()
    const lines = waiting
    waiting = ''
    flushed = undefined
    process.stderr.write(lines)
  }
  return {
    write: (line) => {
      waiting += line
      flushed ??= flush()
      return flushed
    },
    reopen: async () => {},
    close: async () => flushed,
  }
}

const lineOf = (
  service: ServiceName,
  { at, id, caller, address, method, path, route, status, bytes, durationMs }: ObservedRequest,
): string =>
  `${JSON.stringify({
    time: new Date(at).toISOString(),
    id,
    service,
    caller: typeof caller === 'string' ? caller : (caller?.displayName ?? null),
    address,
    method,
    path,
    route,
    status,
    bytes,
    duration_ms: durationMs,
  })}\n`
