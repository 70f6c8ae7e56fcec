import type { OptionNames } from '../../kernel/check-options.ts'
import type { Timers } from '../../kernel/index.ts'

/**
 * Options of {@link postgresStore}.
 *
 * @public
 */
export interface PostgresOptions {
  /** Which realm of the database; each service has its own, and realms commit independently of one another. */
  readonly realm: string
  /** The schema that holds all realms; `plinth` by default. Created if need be. */
  readonly schema?: string | undefined
  /** Whether to announce and hear commits by NOTIFY, which takes one connection; true by default. */
  readonly notify?: boolean | undefined
  /** The polling interval of a waiting `changes` in milliseconds; 25 by default, and ten times that with NOTIFY. */
  readonly pollMs?: number | undefined
  /**
   * How long a commit waits for a database that went away, before it fails as `unknown` or `unreachable`, and opening for
   * one that is starting; 10 s unless told. A question that is not answered for as long (and half a second per megabyte it carries) counts as lost, and is
   * asked once more.
   */
  readonly settleMs?: number | undefined
  /**
   * How many commits are remembered, and for how long by the server's clock: 1,000,000 and one hour by default. The limit
   * that is reached first applies; the newest 1,000 are remembered however old they are.
   */
  readonly remember?:
    | { readonly commits?: number | undefined; readonly seconds?: number | undefined }
    | undefined
  /** Whether to use prepared statements; false behind a pooler that does not carry them. */
  readonly prepare?: boolean | undefined
  /** Called at opening with settings that weaken durability, such as missing synchronous replication. */
  readonly onWarning?: ((message: string) => void) | undefined
  /** How it waits for news and answers; the host's timers by default. */
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
