import * as catalog from '../../catalog/records.ts'
import * as registry from '../../registry/records.ts'
import type { Collection, Entry, Store } from '../../store/index.ts'
import type { Realm } from './folder.ts'

/** A blob that a record names. */
export interface NamedBlob {
  readonly blob: string
  readonly bytes: number
  /** Missing for images that an old version stored. */
  readonly sha256: string | undefined
  /** What loses its bytes without it, such as `box acme/base 1.0.0 qemu amd64`. */
  readonly of: string
}

interface BlobNames {
  readonly see: (entry: Entry) => void
  readonly all: () => readonly NamedBlob[]
}

/** Collects the blobs that the records of a realm name; most realms name none. */
export const blobNames = (realm: Realm): BlobNames =>
  realm === 'catalog' || realm === 'registry' ? collectors[realm]() : { see: () => {}, all: () => [] }

const collectors = {
  catalog: (): BlobNames => {
    const names = new Map<string, string>()
    const found: (Omit<NamedBlob, 'of'> & { readonly box: string; readonly part: string })[] = []
    const see = readers(
      reader(catalog.boxes, ({ id, username, name }) => names.set(id, `${username}/${name}`)),
      reader(catalog.versions, ({ boxId: box, number, providers }) => {
        for (const { name, architecture, asset } of providers)
          if (asset !== null) found.push({ ...blobOf(asset), box, part: `${number} ${name} ${architecture}` })
      }),
      reader(catalog.uploads, ({ boxId: box, asset }) => {
        if (asset !== null) found.push({ ...blobOf(asset), box, part: '(an upload)' })
      }),
    )
    const all = () =>
      found.flatMap(({ box, part, ...blob }) => {
        const name = names.get(box)
        // What is left of a deleted box may have lost its blobs already.
        return name === undefined ? [] : [{ ...blob, of: `box ${name} ${part}` }]
      })
    return { see, all }
  },
  registry: (): BlobNames => {
    const names = new Map<string, string>()
    const found: (Omit<NamedBlob, 'of'> & { readonly module: string; readonly number: string })[] = []
    const see = readers(
      reader(registry.modules, ({ id, namespace, name, provider }) =>
        names.set(id, `${namespace}/${name}/${provider}`),
      ),
      reader(registry.versions, ({ moduleId: module, number, archive }) => {
        if (archive !== undefined) found.push({ ...blobOf(archive), module, number })
      }),
    )
    const all = () =>
      found.flatMap(({ module, number, ...blob }) => {
        const name = names.get(module)
        return name === undefined ? [] : [{ ...blob, of: `module ${name} ${number}` }]
      })
    return { see, all }
  },
} as const

const blobOf = ({ blob, size, sha256 }: { blob: string; size: number; sha256?: string | undefined }) => ({
  blob,
  bytes: size,
  sha256,
})

type Reader = (entry: Entry) => boolean

/** Reads the records of one collection. */
const reader =
  <T>({ prefix, stored }: Collection<T>, read: (record: T) => void): Reader =>
  (entry) => {
    if (!entry.key.startsWith(prefix)) return false
    read(stored(entry).value)
    return true
  }

const readers =
  (...all: readonly Reader[]) =>
  (entry: Entry): void =>
    void all.some((read) => read(entry))

/** The same store, whose reads show their entries as they pass. */
export const watched = (store: Store, see: (entry: Entry) => void): Store => ({
  ...store,
  read: (fn) =>
    store.read((view) =>
      fn({
        ...view,
        scan: async (range) => {
          const page = await view.scan(range)
          for (const entry of page) see(entry)
          return page
        },
      }),
    ),
})
