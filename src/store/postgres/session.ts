import { systemTimers, type Timers } from '../../kernel/index.ts'
import { StoreError } from '../port/errors.ts'
import type { Driver } from './driver.ts'
import { type News, newsOf } from './news.ts'
import type { PostgresOptions } from './options.ts'
import { statements } from './statements.ts'

/** Two queries without an answer, and what lies between them, end within ten seconds. */
const usualSettleMs = 4_500

/** The shared state of the parts of an open store. */
export interface Session {
  readonly driver: Driver
  /** The realm's number in the database, and its name. */
  readonly realm: number
  readonly name: string
  readonly sql: ReturnType<typeof statements>
  readonly news: News
  readonly timers: Timers
  readonly settleMs: number
  /** The number of connections of the client, if known, and how many of them reads of this store occupy. */
  readonly connections: number | undefined
  reads: number
  isClosed(): boolean
  /** Throws unless the store is open. */
  isOpen(): void
  close(): void
}

export function sessionOf(
  { driver, connections }: Pick<Session, 'driver' | 'connections'>,
  realm: number,
  schema: string,
  options: PostgresOptions,
): Session {
  const { timers = systemTimers, settleMs = usualSettleMs } = options
  let closed = false
  return {
    driver,
    realm,
    name: options.realm,
    sql: statements(schema),
    news: newsOf(),
    timers,
    settleMs,
    connections,
    reads: 0,
    isClosed: () => closed,
    isOpen: () => {
      if (closed) throw new StoreError('closed', 'the store was closed')
    },
    close: () => {
      closed = true
    },
  }
}
