const limits = new WeakMap<Request, number>()

/**
 * Sets how large the JSON body of one request may be, for listeners that differ in it; a service's own limit
 * is for requests that have none.
 *
 * @public
 */
export const limitBody = (request: Request, bytes: number): void => void limits.set(request, bytes)

/** The limit of one request, if its listener set one. */
export const bodyLimitOf = (request: Request): number | undefined => limits.get(request)
