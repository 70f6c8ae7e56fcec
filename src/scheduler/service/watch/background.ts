/** Background work: watches, placement, garbage collection. */
export interface Background {
  readonly isBusy: () => boolean
  /** Resolves once it has nothing more to do at present. */
  readonly settled: () => Promise<void>
  readonly close: () => Promise<void>
}

/** Resolves once none of them has work left: one can cause work for another. */
export async function allSettled(workers: readonly Background[]): Promise<void> {
  while (workers.some((each) => each.isBusy())) for (const each of workers) await each.settled()
}
