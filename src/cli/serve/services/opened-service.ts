import type { FetchHandler } from '../../../http/node/index.ts'
import type { Data } from '../data.ts'
import type { ListenerSettings, Settings } from '../settings.ts'

/** What a service is opened with. */
export interface Setup {
  readonly settings: Settings
  readonly data: Data
  readonly log: (line: string) => void
}

/** A service that can be served. */
export interface OpenedService {
  /** The handler behind one of its listeners, which may have rules of its own. */
  readonly handler: (listener: ListenerSettings) => FetchHandler
  /** Answers what waits, so that connections can drain. */
  readonly drain: () => void
  readonly close: () => Promise<void>
}

/** What each service reports as an unforeseen error: a line with the reference its caller was given. */
export const reporter =
  (name: string, log: Setup['log']) =>
  (error: unknown, id?: string): void =>
    log(
      `${name}: unexpected error${id === undefined ? '' : ` (reference ${id})`}: ${error instanceof Error ? error.stack : String(error)}`,
    )
