/**
 * Blobs in a bucket of S3, or of a compatible object store, with a client that you provide.
 *
 * @packageDocumentation
 */
export type {
  BlobAddresses,
  BlobPutOptions,
  BlobRange,
  Blobs,
  BlobWritten,
  DigestName,
} from '../blobs/blobs.ts'
export type { S3Client } from './client.ts'
export type { PresignedRequest } from './presigned.ts'

import { checkFunctions } from '../../kernel/check-functions.ts'
import { checkNumbers } from '../../kernel/check-numbers.ts'
import { checkOptions, type OptionNames } from '../../kernel/check-options.ts'
import { type Env, systemEnv } from '../../kernel/index.ts'
import { type Blobs, checkBlobId, checkBlobRange, clamp, measured } from '../blobs/blobs.ts'
import { nodeHashing } from '../blobs/node-hashing.ts'
import { StoreError } from '../port/errors.ts'
import { isDenied, isMissing, isOutside, isUnreachable, type S3Client } from './client.ts'
import { addressesBy, type PresignedRequest } from './presigned.ts'
import { upload } from './upload.ts'

/**
 * Options of {@link s3Blobs}.
 */
export interface S3BlobsOptions {
  /** A client: `new S3({ region })` of `@aws-sdk/client-s3`. */
  readonly client: S3Client
  /** The bucket, which must exist. */
  readonly bucket: string
  /**
   * The prefix of the keys, such as `boxes/`. Two services that share a bucket need two prefixes: each deletes unknown
   * keys.
   */
  readonly prefix?: string | undefined
  /** The part size of an upload in bytes, at least 5 MiB; 8 MiB by default, which limits an object to 80 GB. */
  readonly partBytes?: number | undefined
  /**
   * Presigns the URL of a request, which is then valid for some seconds. With it, boxes and archives are downloaded
   * from the bucket, and direct uploads are sent there, so that clients must be able to reach it. Without it, every
   * byte passes through this process.
   */
  readonly presign?: ((request: PresignedRequest, seconds: number) => Promise<string>) | undefined
  /** The clock; the system's by default. */
  readonly env?: (() => Env) | undefined
}

const s3BlobsOptions: OptionNames<S3BlobsOptions> = {
  client: true,
  bucket: true,
  prefix: true,
  partBytes: true,
  presign: true,
  env: true,
}

const mebibyte = 1024 * 1024

/** How long a multipart upload may be in progress: it is unknown whether its process is still sending. */
const abandonedAfterMs = 24 * 3_600_000

/**
 * Opens a bucket as a blob store, which any number of servers may share.
 *
 * @remarks
 * A body that is longer than one part is sent as a multipart upload, so that it exists completely or not at all. On
 * opening, multipart uploads that were started more than a day ago and never completed are aborted. The client retries
 * requests and finds its own credentials. This process counts bytes and computes their digests. An upload to a
 * presigned URL is read from there and stored under another key, so that clients cannot replace it later.
 *
 * @throws {@link StoreError} of code `denied` if the bucket is missing or not accessible, or `unreachable`
 *
 * @example
 * ```ts
 * import { S3 } from '@aws-sdk/client-s3'
 * import { createCatalog } from 'plinth/catalog'
 * import { memoryStore } from 'plinth/store'
 * import { s3Blobs } from 'plinth/store/s3'
 *
 * async function openCatalog() {
 *   const client = new S3({ region: 'eu-central-1' })
 *   const blobs = await s3Blobs({ client, bucket: 'acme-images', prefix: 'boxes/' })
 *   return createCatalog({ store: memoryStore(), blobs })
 * }
 * ```
 *
 * @example Let clients fetch from the bucket, and send to it
 * ```ts
 * import { GetObjectCommand, PutObjectCommand, S3 } from '@aws-sdk/client-s3'
 * import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
 * import { s3Blobs } from 'plinth/store/s3'
 *
 * async function openBucket() {
 *   const client = new S3({ region: 'eu-central-1' })
 *   return s3Blobs({
 *     client,
 *     bucket: 'acme-images',
 *     presign: ({ method, ...input }, expiresIn) =>
 *       getSignedUrl(client, method === 'GET' ? new GetObjectCommand(input) : new PutObjectCommand(input), { expiresIn }),
 *   })
 * }
 * ```
 */
export async function s3Blobs(options: S3BlobsOptions): Promise<Blobs> {
  checkOptions('s3Blobs', options, s3BlobsOptions)
  const { client, bucket, prefix = '', partBytes = 8 * mebibyte, presign, env = systemEnv } = options
  checkFunctions(options, ['presign', 'env'])
  checkNumbers({ least: 5 * mebibyte, unit: 'bytes' }, { partBytes })
  const at = (id: string) => ({ Bucket: bucket, Key: `${prefix}${id}` })
  const sizeOf = (id: string): Promise<number | undefined> =>
    absent(client.headObject(at(id)).then(({ ContentLength = 0 }) => ContentLength))
  await explained(bucket, () => dropAbandoned(client, { bucket, prefix }, env().now - abandonedAfterMs))
  return {
    ...(presign ? { addresses: addressesBy(presign, at) } : {}),
    put: async (id, body, putOptions = {}) => {
      checkBlobId(id)
      const measure = measured(body, putOptions, nodeHashing)
      await explained(bucket, () =>
        upload({ client, at: at(id), partBytes }, measure.bytes, () => measure.isWithinLimit()),
      )
      return measure.result()
    },
    get: async (id, range = {}) => {
      checkBlobId(id)
      checkBlobRange(range)
      const start = Math.max(0, range.start ?? 0)
      const end = range.end ?? Number.POSITIVE_INFINITY
      if (start === 0 && end === Number.POSITIVE_INFINITY) {
        const whole = await explained(bucket, () => absent(client.getObject(at(id))))
        return whole && { size: whole.ContentLength ?? 0, body: bytesOf(whole.Body) }
      }
      const Range = `bytes=${start}-${end === Number.POSITIVE_INFINITY ? '' : Math.max(start, end - 1)}`
      const part =
        end <= start
          ? undefined
          : await explained(bucket, () => absent(outside(client.getObject({ ...at(id), Range }))))
      const total = /\/(\d+)$/.exec(part?.ContentRange ?? '')?.[1]
      if (part && total !== undefined) return { size: Number(total), body: bytesOf(part.Body) }
      // The range is empty, or the store does not support ranges of empty objects.
      await part?.Body?.transformToWebStream().cancel()
      const size = await explained(bucket, () => sizeOf(id))
      if (size === undefined) return undefined
      const bounds = clamp(size, range)
      if (bounds.start < bounds.end) throw new Error('the object store did not return the requested range')
      return { size, body: bytesOf(undefined) }
    },
    delete: async (id) => {
      checkBlobId(id)
      return explained(bucket, async () => {
        if ((await sizeOf(id)) === undefined) return false
        await client.deleteObject(at(id))
        return true
      })
    },
    list: () => blobIds(client, { bucket, prefix }),
  }
}

/** The ids of the blobs in a bucket, page by page. */
async function* blobIds(
  client: S3Client,
  { bucket, prefix }: { readonly bucket: string; readonly prefix: string },
): AsyncGenerator<string> {
  for (let token: string | undefined; ; ) {
    const page = await explained(bucket, () =>
      client.listObjectsV2({
        Bucket: bucket,
        Prefix: prefix,
        ...(token === undefined ? {} : { ContinuationToken: token }),
      }),
    )
    for (const { Key = '' } of page.Contents ?? []) {
      const id = Key.slice(prefix.length)
      // Folders of other programs below the prefix are not blobs.
      if (id !== '' && !id.includes('/')) yield id
    }
    token = page.NextContinuationToken
    if (token === undefined) return
  }
}

/** Aborts multipart uploads that were started long ago. Stores that cannot list them have a lifecycle rule for it. */
async function dropAbandoned(
  client: S3Client,
  { bucket, prefix }: { readonly bucket: string; readonly prefix: string },
  before: number,
): Promise<void> {
  for (let marker: string | undefined; ; ) {
    const page = await client
      .listMultipartUploads({
        Bucket: bucket,
        Prefix: prefix,
        ...(marker === undefined ? {} : { KeyMarker: marker }),
      })
      .catch((error: unknown) => {
        if (error instanceof Error && error.name === 'NotImplemented') return undefined
        throw error
      })
    for (const { Key, UploadId, Initiated } of page?.Uploads ?? [])
      if (Key !== undefined && UploadId !== undefined && Initiated && Initiated.getTime() <= before)
        await client.abortMultipartUpload({ Bucket: bucket, Key, UploadId })
    marker = page?.NextKeyMarker
    if (marker === undefined || marker === '') return
  }
}

const bytesOf = (body: { transformToWebStream(): ReadableStream } | undefined): ReadableStream<Uint8Array> =>
  body?.transformToWebStream() ?? new ReadableStream({ start: (controller) => controller.close() })

/** Returns undefined for an object that does not exist. */
const absent = <T>(found: Promise<T>): Promise<T | undefined> =>
  found.catch((error: unknown) => {
    if (isMissing(error)) return undefined
    throw error
  })

/** Returns undefined for a range that is outside its object. */
const outside = <T>(found: Promise<T>): Promise<T | undefined> =>
  found.catch((error: unknown) => {
    if (isOutside(error)) return undefined
    throw error
  })

async function explained<T>(bucket: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (isUnreachable(error))
      throw new StoreError(
        'unreachable',
        `the bucket ${bucket} does not answer: ${error instanceof Error ? error.message : String(error)}`,
        error,
      )
    if (!isDenied(error)) throw error
    throw new StoreError(
      'denied',
      `the bucket ${bucket} is missing, or these credentials lack permission`,
      error,
    )
  }
}
