import type { Tally } from '../../store/background/tally.ts'
import type { Replica, Snapshot } from '../../store/index.ts'

/** The current state, with the downloads that are not stored yet. */
export interface Counted {
  readonly now: Snapshot
  readonly waiting: ReadonlyMap<string, number>
}

/** The current state, in which each download counts once. */
export async function counted({
  view,
  tally,
}: {
  readonly view: () => Promise<Replica>
  readonly tally: Tally
}): Promise<Counted> {
  const replica = await view()
  await replica.fresh()
  await tally.rested()
  // Newer than the awaited state, if another writer was active. Do not await from here on.
  return { now: replica.stale(), waiting: tally.waiting() }
}
