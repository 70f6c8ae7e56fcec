import { systemEnv, systemTimers } from '../../kernel/index.ts'
import { type Blobs, isStoreError, type Store } from '../../store/index.ts'
import { UserError } from '../user-error.ts'

/** How long a write may take. */
const writesWithinMs = 5000
/** A result is used for so long: each write takes some work of a disk or a bucket. */
const validMs = 5000

/** What cannot be written. */
export interface Unwritable {
  readonly what: 'records' | 'uploads'
  readonly why: string
}

/** What a {@link writeProbe} writes. */
export interface Probed {
  /** Opens the realm of the server itself. */
  readonly own: () => Promise<Store>
  readonly blobs: Blobs
  /** Throws if the uploads are not where they were. */
  readonly checkUploads: () => Promise<void>
}

/** Tests whether data can be written: a record of the server itself, and a blob that is deleted at once. */
export function writeProbe({ own, blobs, checkUploads }: Probed): () => Promise<readonly Unwritable[]> {
  let last: { readonly at: number; readonly result: Promise<readonly Unwritable[]> } | undefined
  let store: Promise<Store> | undefined
  const record = async () => {
    store ??= own()
    const id = systemEnv().newId('probe')
    await (await store).commit([{ id, put: [{ key: 'probe', value: { id } }] }])
  }
  const upload = async () => {
    await checkUploads()
    const id = `probe-${systemEnv().newId('probe')}`
    await blobs.put(
      id,
      (async function* () {
        yield new Uint8Array(4096)
      })(),
    )
    await blobs.delete(id)
  }
  return () => {
    const at = systemEnv().now
    if (last === undefined || at - last.at >= validMs) {
      const result = Promise.all([within('records', record()), within('uploads', upload())]).then((all) =>
        all.flat(),
      )
      last = { at, result }
    }
    return last.result
  }
}

/** What failed or took too long, and why. */
async function within(what: Unwritable['what'], writing: Promise<unknown>): Promise<readonly Unwritable[]> {
  const late = new Promise<readonly Unwritable[]>((resolve) => {
    systemTimers.after(writesWithinMs, () => resolve([{ what, why: 'a write takes too long' }]))
  })
  const written = writing.then(
    () => [],
    (error: unknown) => {
      // Other errors may contain paths and addresses, which anyone who asks would see.
      const isOurs = error instanceof UserError || isStoreError(error)
      return [{ what, why: isOurs ? error.message : 'a write failed' }]
    },
  )
  return Promise.race([written, late])
}
