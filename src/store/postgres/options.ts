import type { OptionNames } from '../../kernel/check-options.ts'
import type { Timers } from '../../kernel/index.ts'

/**
 * Options of {@link postgresStore}.
 */
export interface PostgresOptions {
  /** The realm in the database; each service has its own, and realms commit independently of one another. */
  readonly realm: string
  /** The schema of all realms; `plinth` by default. Created if it does not exist. */
  readonly schema?: string | undefined
  /** Whether to announce and receive commits by NOTIFY, which takes one connection; true by default. */
  readonly notify?: boolean | undefined
  /** The polling interval of a waiting `changes` in milliseconds; 25 by default, and ten times that with NOTIFY. */
  readonly pollMs?: number | undefined
  /**
   * How long, in milliseconds, a commit waits for an unavailable database before it fails as `unknown` or
   * `unreachable`; 4.5 s by default. Opening waits as long for one that is starting, but 10 s by default. A query
   * without an answer for as long (plus half a second per megabyte it carries) counts as lost, and is repeated once.
   */
  readonly settleMs?: number | undefined
  /**
   * How many commits are remembered, and for how long by the server's clock: 1,000,000 and one hour by default. The
   * limit that is reached first applies; the newest 1,000 are remembered however old they are.
   */
  readonly remember?:
    | { readonly commits?: number | undefined; readonly seconds?: number | undefined }
    | undefined
  /** Whether to use prepared statements; false behind a pooler that does not support them. */
  readonly prepare?: boolean | undefined
  /** Called when the store is opened, with settings that weaken durability, such as missing synchronous replication. */
  readonly onWarning?: ((message: string) => void) | undefined
  /** How the store waits for changes and answers; the host's timers by default. */
  readonly timers?: Timers | undefined
}

export const postgresOptions: OptionNames<PostgresOptions> = {
  realm: true,
  schema: true,
  notify: true,
  pollMs: true,
  settleMs: true,
  remember: { commits: true, seconds: true },
  prepare: true,
  onWarning: true,
  timers: true,
}
