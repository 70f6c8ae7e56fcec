/** Below this many slots an index is never worth building anew. */
const fewSlots = 1024

/** Whether an index whose changed rows move to new slots has so many empty ones that it is to be built anew. */
export const needsRebuild = (slots: number, living: number): boolean =>
  slots >= fewSlots && slots >= living * 2
