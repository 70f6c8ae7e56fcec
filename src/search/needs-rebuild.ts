/** Indexes with fewer slots than this are never rebuilt. */
const fewSlots = 1024

/** Whether to rebuild an index because it has too many empty slots; changed rows move to new slots. */
export const needsRebuild = (slots: number, living: number): boolean =>
  slots >= fewSlots && slots >= living * 2
