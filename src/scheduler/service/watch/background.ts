/** Background work: watches, placement, garbage collection. */
export interface Background {
  readonly isBusy: () => boolean
  /** Resolves once it has nothing more to do at present: `false` if work failed, which is retried after a pause. */
  readonly settled: () => Promise<boolean>
  readonly close: () => Promise<void>
}

/**
 * Resolves once none of them has work left: one can cause work for another. One whose work failed is not awaited again: on
 * a store that answers late, its retries never end.
 */
export async function allSettled(workers: readonly Background[]): Promise<void> {
  const awaited = new Set(workers)
  while ([...awaited].some((each) => each.isBusy()))
    for (const each of awaited) if (!(await each.settled())) awaited.delete(each)
}
