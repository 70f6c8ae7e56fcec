import type { Timers } from '../../kernel/index.ts'
import { StoreError } from '../port/errors.ts'
import type { Rev } from '../port/port.ts'
import { type Waiters, waiters } from '../port/waiters.ts'
import { explain, isOfEngine } from './errors.ts'
import * as layout from './layout.ts'
import { untilNewest } from './newest-transaction.ts'
import type { openFile } from './open.ts'

/** The shared state of the parts of an open store. */
export interface Session {
  readonly path: string
  readonly tables: Awaited<ReturnType<typeof openFile>>
  readonly timers: Timers
  /** Callers that wait for changes of the realm. */
  readonly waiting: Waiters
  isClosed(): boolean
  /** Throws unless the store is open. */
  isOpen(): void
  close(): void
  /** A number of the realm: its head or its floor. Throws during an import, when there is no head. */
  number(key: Buffer, within?: layout.Within): Rev
  /** Announces a revision: from then on, no read returns an older one. */
  saw(rev: Rev): void
  /** Runs `fn` on the newest state, however long it takes. */
  reading<T>(fn: (within: layout.Within) => T | Promise<T>): Promise<T>
}

export function sessionOf(path: string, tables: Session['tables'], timers: Timers): Session {
  const { root, log } = tables
  let closed = false
  let seen = 0
  const saw = (rev: Rev) => {
    seen = Math.max(seen, rev)
  }
  const isOpen = () => {
    if (closed) throw new StoreError('closed', 'the store was closed')
  }
  const number = (key: Buffer, within?: layout.Within): Rev => {
    const bytes = log.get(key, within)
    if (bytes === undefined) return 0
    if (layout.isNumber(bytes)) return layout.numberOf(key, bytes)
    throw new StoreError(
      'locked',
      `${path} is incomplete: an import is in progress, or was interrupted. Wait for it, or import again`,
    )
  }
  const explained = (error: unknown) => (isOfEngine(error) ? explain(error, path, 'corrupt') : error)
  /** A read transaction on the newest state; undefined while the transaction number is set back. */
  const newest = () => {
    isOpen()
    root.resetReadTxn()
    const transaction = root.useReadTransaction()
    let isNewest = false
    try {
      const head = log.get(layout.headKey, { transaction })
      const rev =
        head === undefined ? 0 : layout.isNumber(head) ? layout.numberOf(layout.headKey, head) : seen
      isNewest = rev >= seen
      saw(rev)
    } catch (error) {
      throw explained(error)
    } finally {
      if (!isNewest) transaction.done()
    }
    return isNewest ? transaction : undefined
  }
  return {
    path,
    tables,
    timers,
    waiting: waiters(timers),
    isClosed: () => closed,
    isOpen,
    close: () => {
      closed = true
    },
    number,
    saw,
    reading: async (fn) => {
      const transaction = newest() ?? (await untilNewest(path, async () => newest()))
      try {
        return await fn({ transaction })
      } catch (error) {
        throw explained(error)
      } finally {
        transaction.done()
      }
    },
  }
}
