/** Stores keep 200 levels; what a body says stands a few levels deep in what is kept. */
export const maxDepth = 150

/** Whether data are nested deeper than that, which what contains itself is too: no deeper is looked, whoever made them. */
export const isTooDeep = (value: unknown, left = maxDepth): boolean =>
  left < 0 ||
  (typeof value === 'object' &&
    value !== null &&
    Object.values(value).some((item) => isTooDeep(item, left - 1)))

/** Whether a number in JSON data is -0, which `JSON.parse` makes and stores refuse. Not for data that are too deep. */
export const hasNegativeZero = (value: unknown): boolean =>
  typeof value === 'object' && value !== null
    ? Object.values(value).some(hasNegativeZero)
    : value === 0 && Object.is(value, -0)
