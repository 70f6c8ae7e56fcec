import { exchangeHandlerOf, type FetchHandler, fetchOf, type ServiceFetch } from '../../../http/fetch.ts'

/** The transfers of a service that have not ended. */
export interface Transfers {
  /** Bodies that are being received. */
  in: number
  /** Bodies that are being sent. */
  out: number
}

/** Shorter bodies arrive with their requests. */
const largeBytes = 64 * 1024

/** Counts the large bodies that a handler receives and the streams that it sends, while they last. */
export function countTransfers(fetch: FetchHandler, open: Transfers): ServiceFetch {
  const below = exchangeHandlerOf(fetch)
  return fetchOf(async (exchange) => {
    const { body } = exchange
    const isLarge = body !== undefined && (body.length ?? Number.POSITIVE_INFINITY) > largeBytes
    if (isLarge) open.in += 1
    try {
      const answered = await below(exchange)
      if (!(answered.body instanceof ReadableStream)) return answered
      const { onSent } = answered
      open.out += 1
      answered.onSent = (bytes) => {
        open.out -= 1
        onSent?.(bytes)
      }
      return answered
    } finally {
      if (isLarge) open.in -= 1
    }
  })
}
