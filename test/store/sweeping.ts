import {
  type Collection,
  collection,
  replica,
  type Store,
  type Sweeper,
  sweeper,
} from '../../src/store/index.ts'

/** What falls due, and who swept it. */
interface Parcel {
  readonly id: string
  readonly dueAt: number
  readonly sweptBy?: string
}
export const parcels: Collection<Parcel> = collection<Parcel>({
  name: 'parcel',
  key: ({ id }) => [id],
  indexes: { due: ({ dueAt, sweptBy }) => (sweptBy === undefined ? [dueAt] : undefined) },
})

/** Sweeps parcels one by one, and writes down by whom; `before` hears of each before it is decided on. */
export async function parcelSweeper(
  store: Store,
  {
    name,
    leaseMs,
    before,
  }: { readonly name: string; readonly leaseMs: number; readonly before: (id: string) => void },
): Promise<Sweeper> {
  const view = await replica(store, [])
  return sweeper(
    view,
    [
      {
        collection: parcels as Collection<unknown>,
        index: 'due',
        expire: (tx, { value }) => {
          const parcel = value as Parcel
          before(parcel.id)
          tx.put(parcels, { ...parcel, sweptBy: name })
        },
      },
    ],
    { name: 'parcels', everyMs: 3_600_000, leaseMs, batch: 1 },
  )
}
