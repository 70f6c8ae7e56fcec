import type { FetchHandler } from '../../http/node/index.ts'
import type { Store } from '../../store/index.ts'
import type { Data } from './data.ts'

/** What a server answers until its services are open. */
export interface Starting {
  /** The same data; what a start reads of them is counted. */
  readonly counted: (data: Data) => Data
  /** Answers 503 with how far the start is. */
  readonly fetch: FetchHandler
  /** Nothing is counted from then on. */
  readonly end: () => void
}

export function starting(): Starting {
  let now = { service: '', records: 0 }
  let isStarting = true
  const counting = (store: Store): Store => ({
    ...store,
    read: (fn) =>
      isStarting
        ? store.read((view) =>
            fn({
              ...view,
              scan: async (range) => {
                const page = await view.scan(range)
                now.records += page.length
                return page
              },
            }),
          )
        : store.read(fn),
  })
  return {
    counted: (data) =>
      data.durable
        ? {
            ...data,
            store: async (service) => {
              now = { service, records: 0 }
              return counting(await data.store(service))
            },
          }
        : data,
    fetch: () =>
      Response.json(
        { ready: false, starting: now },
        {
          status: 503,
          headers: { 'retry-after': '1', 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' },
        },
      ),
    end: () => {
      isStarting = false
    },
  }
}
