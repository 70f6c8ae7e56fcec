import { systemEnv, systemTimers } from '../../kernel/index.ts'
import type { Blobs, Store } from '../../store/index.ts'

/** How long a write may take. */
const writesWithinMs = 5000
/** A result is used for so long: each write takes some work of a disk or a bucket. */
const validMs = 5000

/**
 * Tests whether data can be written: a record of the server itself, and a blob that is deleted at once. Returns what
 * cannot.
 */
export function writeProbe(own: () => Promise<Store>, blobs: Blobs): () => Promise<readonly string[]> {
  let last: { readonly at: number; readonly result: Promise<readonly string[]> } | undefined
  let store: Promise<Store> | undefined
  const record = async () => {
    store ??= own()
    const id = systemEnv().newId('probe')
    await (await store).commit([{ id, put: [{ key: 'probe', value: { id } }] }])
  }
  const upload = async () => {
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

/** The name of what failed or took too long. */
async function within(name: string, writing: Promise<unknown>): Promise<readonly string[]> {
  const late = new Promise<readonly string[]>((resolve) => {
    systemTimers.after(writesWithinMs, () => resolve([name]))
  })
  const written = writing.then(
    () => [],
    () => [name],
  )
  return Promise.race([written, late])
}
