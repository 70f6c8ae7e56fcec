import { setTimeout as sleep } from 'node:timers/promises'
import type { RootDatabase } from 'lmdb'
import { StoreError } from '../port/errors.ts'
import { causeOf, explain } from './errors.ts'

/*
 * The processes of an environment share the number of its newest transaction. A process that opens the environment
 * writes there what it read from the file a moment before, although others may have committed in between (LMDB's
 * ITS#9496, which lmdb-js 3.5.6 still has). The next write transaction of any process would then begin on the state
 * before such a commit and overwrite it, acknowledged or not. So every write transaction here looks at the file first,
 * and steps back if it did not begin on what is newest there; as no other process writes meanwhile, the process that
 * set the number back sets it right by opening once more.
 */

/** How long, in milliseconds, to wait for the process that set the number back. */
const patience = 10_000

/** Whether the current write transaction began on the newest state. */
export function isOnNewest(root: RootDatabase<Buffer, Buffer>): boolean {
  return root.getWriteTxnId() === newestTransaction(root) + 1
}

interface EnvironmentInfo {
  readonly lastTxnId: number
}

/**
 * The newest transaction of the file. `getStats` returns it as well, but walks the whole list of free pages, which
 * costs more than a commit; the part that it reads from the environment is enough.
 */
function newestTransaction(root: RootDatabase<Buffer, Buffer>): number {
  const { env } = root as { readonly env?: { info?(): EnvironmentInfo } }
  return (env?.info?.() ?? (root.getStats() as unknown as EnvironmentInfo)).lastTxnId
}

/** Retries until there is a result: while another process opens the file, for some milliseconds. */
export async function untilNewest<T>(path: string, attempt: () => Promise<T | undefined>): Promise<T> {
  const start = performance.now()
  for (let tries = 0; ; tries += 1) {
    const done = await attempt()
    if (done !== undefined) return done
    if (performance.now() - start > patience)
      throw new StoreError(
        'locked',
        `${path}: a process died while it opened the store, and blocks writes: open it again, with any process`,
      )
    await sleep(Math.min(1 + tries, 20))
  }
}

/**
 * Runs `work` in a child of one of the engine's transactions, so that a failure half-way leaves no trace in the
 * transaction, which other work of the process shares.
 */
export async function inTransaction<T>(
  root: RootDatabase<Buffer, Buffer>,
  path: string,
  work: () => T,
): Promise<T> {
  const { result } = await untilNewest(path, async () => {
    try {
      return await root.childTransaction(() => (isOnNewest(root) ? { result: work() } : undefined))
    } catch (error) {
      throw explain(await causeOf(error), path, 'unknown')
    }
  })
  return result
}
