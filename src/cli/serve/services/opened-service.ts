import type { RequestRecord } from '../../../http/index.ts'
import type { FetchHandler } from '../../../http/node/index.ts'
import { isStoreError, type StoreErrorCode } from '../../../store/index.ts'
import type { Data } from '../data.ts'
import type { ServiceName } from '../flags.ts'
import type { Log } from '../log.ts'
import type { ListenerSettings, Settings } from '../settings.ts'

/** The input for opening a service. */
export interface Setup {
  readonly settings: Settings
  readonly data: Data
  readonly log: Log
  /** Receives every request of a service; absent if requests are not counted. */
  readonly observer: (
    service: ServiceName,
  ) => ((record: Pick<RequestRecord, 'route' | 'method' | 'status' | 'durationMs'>) => void) | undefined
  /** Where the console is, once it listens. */
  readonly consoleUrl: () => string | undefined
}

/** A service that can be served. */
export interface OpenedService {
  /** The handler behind one of its listeners, which may have rules of its own. */
  readonly handler: (listener: ListenerSettings) => FetchHandler
  /** Answers what waits, so that connections can drain. */
  readonly drain: () => void
  readonly close: () => Promise<void>
}

/** A service that keeps blobs. */
export interface SweptService extends OpenedService {
  /**
   * Removes what a killed server left of its uploads, where no other server can be in the middle of one. It reads the
   * records, so a load that was broken off is made up for first.
   */
  readonly sweep: () => Promise<unknown>
}

/**
 * What each service reports as an unforeseen error: a line with the reference its caller was given. What the store could
 * not do says in words what to do about it; where in the program that came up helps no reader.
 */
export const reporter =
  (name: string, log: Log) =>
  (error: unknown, id?: string): void => {
    const reference = id === undefined ? '' : ` (reference ${id})`
    const text = error instanceof Error ? error.stack : String(error)
    if (isStoreError(error, ...ofTheDatabase)) log.error(`${name}: ${error.message}${reference}`)
    else log.error(`${name}: unexpected error${reference}: ${text}`)
  }

/** The store errors that are not bugs of the program. */
const ofTheDatabase = [
  'disk_full',
  'locked',
  'denied',
  'corrupt',
  'unreachable',
  'unknown',
  'contended',
] as const satisfies readonly StoreErrorCode[]
