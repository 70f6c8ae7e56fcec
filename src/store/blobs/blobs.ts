import { checkNumbers } from '../../kernel/check-numbers.ts'
import { type Refused, refuse } from '../../kernel/index.ts'
import { isBytes } from '../../kernel/objects.ts'
import { StoreError } from '../port/errors.ts'

/**
 * The digests a blob can be given.
 */
export type DigestName = 'md5' | 'sha1' | 'sha256' | 'sha384' | 'sha512'

/**
 * An incremental digest; `digest` returns it in lower-case hex.
 */
export type Hashing = (name: DigestName) => { update(bytes: Uint8Array): void; digest(): string }

/**
 * The options of {@link Blobs.put}.
 */
export interface BlobPutOptions {
  /** The digests wanted; SHA-256 by default. */
  readonly digests?: readonly DigestName[] | undefined
  /** Refuses anything longer; nothing is kept then. */
  readonly maxBytes?: number | undefined
}

/**
 * A blob that was kept.
 */
export interface BlobWritten {
  readonly ok: true
  readonly size: number
  /** The digests asked for, in lower-case hex. */
  readonly digests: Readonly<Partial<Record<DigestName, string>>>
}

/**
 * A byte range of a blob, in whole numbers; parts outside of the blob are omitted.
 */
export interface BlobRange {
  /** The first byte, counted from 0. */
  readonly start?: number | undefined
  /** The byte after the last one. */
  readonly end?: number | undefined
}

/**
 * Addresses at which clients fetch and send blobs themselves, past this process. Each works for some seconds.
 */
export interface BlobAddresses {
  /** Where `GET` answers a blob, as an attachment of this type. */
  download(id: string, options: { readonly seconds: number; readonly type: string }): Promise<string>
  /** Where `PUT` keeps a body as a blob, each time anew. Nothing checks it: read the blob before it is used. */
  upload(id: string, options: { readonly seconds: number }): Promise<string>
}

/**
 * Uploaded bytes, streamed. A record in the store holds a blob's id, so write the blob first and commit then.
 */
export interface Blobs {
  /**
   * Stores a body under an id, completely or not at all, replacing a previous one. An error of the body is rethrown.
   *
   * @param id - chosen by the caller, unique per upload: 1 to 200 of letters, digits, `-`, `_` and `.`, not first a `.`
   */
  put(
    id: string,
    body: AsyncIterable<Uint8Array>,
    options?: BlobPutOptions,
  ): Promise<BlobWritten | Refused<'blob_too_large'>>
  /**
   * A blob's size and bytes; of a range, `start` is inclusive and `end` exclusive. `size` is always the whole. Read the
   * body to its end or cancel it: it may hold a file open.
   */
  get(
    id: string,
    range?: BlobRange,
  ): Promise<{ readonly size: number; readonly body: ReadableStream<Uint8Array> } | undefined>
  /** False when there was none. */
  delete(id: string): Promise<boolean>
  /** Lists all ids, in no particular order: for sweeping unreferenced blobs. */
  list(): AsyncIterable<string>
  /** Lets clients reach the bytes themselves; without it, all of them pass through this process. */
  readonly addresses?: BlobAddresses | undefined
}

/** Refuses an id that could name something other than a blob. */
export function checkBlobId(id: string): void {
  if (!/^[A-Za-z0-9_-][A-Za-z0-9._-]{0,199}$/.test(id))
    throw new StoreError(
      'invalid',
      `a blob's id has 1 to 200 letters, digits, "-", "_", ".": ${JSON.stringify(id)}`,
    )
}

/** Passes a body on, counting and digesting; ends early, with `blob_too_large`, at the limit. */
export function measured(body: AsyncIterable<Uint8Array>, options: BlobPutOptions, hashing: Hashing) {
  const { digests = ['sha256'], maxBytes = Number.POSITIVE_INFINITY } = options
  checkNumbers({ least: 0, unit: 'bytes' }, { maxBytes })
  const hashers = digests.map((name) => [name, hashing(name)] as const)
  let size = 0
  return {
    bytes: (async function* () {
      for await (const chunk of body) {
        // Node streams yield strings once they have an encoding.
        if (!isBytes(chunk))
          throw new TypeError(`a blob consists of Uint8Array chunks, not of ${typeof chunk}`)
        size += chunk.byteLength
        if (size > maxBytes) return
        for (const [, hasher] of hashers) hasher.update(chunk)
        yield chunk
      }
    })(),
    isWithinLimit: (): boolean => size <= maxBytes,
    result: (): BlobWritten | Refused<'blob_too_large'> =>
      size > maxBytes
        ? refuse('blob_too_large', `at most ${maxBytes} bytes are stored`, { maxBytes })
        : {
            ok: true,
            size,
            digests: Object.fromEntries(hashers.map(([name, hasher]) => [name, hasher.digest()])),
          },
  }
}

/** Refuses a range that does not consist of whole numbers; the end may be infinite. */
export function checkBlobRange({ start = 0, end = 0 }: BlobRange): void {
  if (!Number.isSafeInteger(start) || (!Number.isSafeInteger(end) && end !== Number.POSITIVE_INFINITY))
    throw new StoreError('invalid', `a range of a blob has whole numbers, not ${start} to ${end}`)
}

/** A range's bounds within a size. */
export function clamp(size: number, range: BlobRange): { readonly start: number; readonly end: number } {
  const end = Math.min(size, Math.max(0, range.end ?? size))
  return { start: Math.min(end, Math.max(0, range.start ?? 0)), end }
}

/**
 * The result of {@link memoryBlobs}.
 */
export interface MemoryBlobs extends Blobs {
  /** Creates other blobs with the same content, without a copy of the bytes. */
  readonly fork: () => MemoryBlobs
}

/**
 * Blobs in memory, for tests.
 *
 * @param hashing - creates digests: `nodeHashing` in Node
 *
 * @example
 * ```ts
 * import { nodeHashing } from 'plinth/node'
 * import { memoryBlobs } from 'plinth/store'
 *
 * const blobs = memoryBlobs(nodeHashing)
 * await blobs.put('upload-1', new Blob(['hello']).stream())
 * const found = await blobs.get('upload-1', { start: 1, end: 3 })
 * await new Response(found?.body).text() // 'el'
 * ```
 */
export const memoryBlobs = (hashing: Hashing): MemoryBlobs => keptIn(new Map(), hashing)

function keptIn(kept: Map<string, Blob>, hashing: Hashing): MemoryBlobs {
  return {
    fork: () => keptIn(new Map(kept), hashing),
    put: async (id, body, options = {}) => {
      checkBlobId(id)
      const measure = measured(body, options, hashing)
      const chunks: Uint8Array<ArrayBuffer>[] = []
      // A copy: the producer may reuse the memory.
      for await (const chunk of measure.bytes) chunks.push(new Uint8Array(chunk))
      const result = measure.result()
      if (result.ok) kept.set(id, new Blob(chunks))
      return result
    },
    get: async (id, range = {}) => {
      checkBlobId(id)
      checkBlobRange(range)
      const blob = kept.get(id)
      if (blob === undefined) return undefined
      const { start, end } = clamp(blob.size, range)
      return { size: blob.size, body: blob.slice(start, end).stream() }
    },
    delete: async (id) => {
      checkBlobId(id)
      return kept.delete(id)
    },
    list: async function* () {
      yield* [...kept.keys()]
    },
  }
}
