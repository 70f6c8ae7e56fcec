/** Something that works beside the calls: watches, places, collects. */
export interface Background {
  readonly isBusy: () => boolean
  /** Resolves once it has nothing more to do now. */
  readonly settled: () => Promise<void>
  readonly close: () => Promise<void>
}

/** Resolves once none of them has anything to do: what one does may be work for another. */
export async function allSettled(workers: readonly Background[]): Promise<void> {
  while (workers.some((each) => each.isBusy())) for (const each of workers) await each.settled()
}
