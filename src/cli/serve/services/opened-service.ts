import type { FetchHandler } from '../../../http/node/index.ts'
import type { IdpProvider } from '../../../secrets/idp/index.ts'
import { AuditDeviceError } from '../../../secrets/service/core/audit-device.ts'
import { isStoreError, type StoreErrorCode } from '../../../store/index.ts'
import type { ObservedRequest } from '../access-log.ts'
import type { Data } from '../data.ts'
import type { ServiceName } from '../flags.ts'
import type { Log } from '../log.ts'
import type { ListenerSettings, Settings } from '../settings.ts'

/** The input for opening a service. */
export interface Setup {
  readonly settings: Settings
  /** The identity provider of `--idp-script`. */
  readonly idpProvider?: IdpProvider | undefined
  readonly data: Data
  readonly log: Log
  /** Called with every request of a service; absent if requests are neither counted nor logged. */
  readonly observer: (service: ServiceName) => ((record: ObservedRequest) => void) | undefined
  /** The URL of the console, once it listens. */
  readonly consoleUrl: () => string | undefined
}

/** A running service. */
export interface OpenedService {
  /** The handler of one of its listeners, which may have its own rules. */
  readonly handler: (listener: ListenerSettings) => FetchHandler
  /** Answers waiting requests, so that connections can drain. */
  readonly drain: () => void
  readonly close: () => Promise<void>
}

/** A service with blobs. */
export interface SweptService extends OpenedService {
  /**
   * Removes the uploads of a killed server: at once if no other server can be using them, else the old ones. It reads
   * the records, so an interrupted load is completed first.
   */
  readonly sweep: () => Promise<unknown>
}

/**
 * The log message of an unexpected error: a line with the reference that its caller got. For an error of the store it
 * contains the remedy instead of a stack, for one of an audit device its cause.
 */
export const reporter =
  (name: string, log: Log) =>
  (error: unknown, id?: string): void => {
    const reference = id === undefined ? '' : ` (reference ${id})`
    const text = error instanceof Error ? error.stack : String(error)
    if (error instanceof AuditDeviceError || isStoreError(error, ...ofTheDatabase))
      log.error(`${name}: ${error.message}${reference}`)
    else log.error(`${name}: unexpected error${reference}: ${text}`)
  }

/** The store errors that are not bugs of the program. */
const ofTheDatabase = [
  'disk_full',
  'replaced',
  'locked',
  'denied',
  'corrupt',
  'unreachable',
  'unknown',
  'contended',
] as const satisfies readonly StoreErrorCode[]
