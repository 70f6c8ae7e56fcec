const limits = new WeakMap<Request, number>()

/**
 * Sets how large the JSON body of one request may be, for listeners that differ in it; a service's own limit
 * is for requests that have none.
 *
 * @example
 * ```ts
 * import { limitBody } from 'plinth/http'
 * import { devSecrets } from 'plinth/secrets'
 *
 * const { service, rootToken } = await devSecrets()
 * const write = (limit: number) => {
 *   const body = JSON.stringify({ data: { password: 'hunter2' } })
 *   const headers = { 'X-Secrets-Token': rootToken }
 *   const request = new Request('http://localhost/v1/secret/data/app', { method: 'POST', headers, body })
 *   limitBody(request, limit)
 *   return service.fetch(request)
 * }
 * await write(10).then(({ status }) => status) // 413
 * await write(1000).then(({ status }) => status) // 200
 * await service.close()
 * ```
 *
 * @public
 */
export const limitBody = (request: Request, bytes: number): void => void limits.set(request, bytes)

/** The limit of one request, if its listener set one. */
export const bodyLimitOf = (request: Request): number | undefined => limits.get(request)
