/** Names an object. */
export interface ObjectName {
  readonly Bucket: string
  readonly Key: string
}

/** The identity of a multipart upload. */
interface PartsName extends ObjectName {
  readonly UploadId: string
}

/** The body of an object, in the type of Node clients. */
interface S3Body {
  transformToWebStream(): ReadableStream
}

/**
 * The used part of a client: some methods of the class `S3` of `@aws-sdk/client-s3`, or of a compatible one.
 */
export interface S3Client {
  /** Stores an object. */
  putObject(input: ObjectName & { Body: Uint8Array; ContentLength: number }): Promise<unknown>
  /** Gets an object, or a range of it. */
  getObject(input: ObjectName & { Range?: string }): Promise<{
    Body?: S3Body | undefined
    ContentLength?: number | undefined
    ContentRange?: string | undefined
  }>
  /** Gets the metadata of an object. */
  headObject(input: ObjectName): Promise<{ ContentLength?: number | undefined }>
  /** Removes an object. */
  deleteObject(input: ObjectName): Promise<unknown>
  /** Lists objects, in pages. */
  listObjectsV2(input: { Bucket: string; Prefix: string; ContinuationToken?: string }): Promise<{
    Contents?: { Key?: string | undefined }[] | undefined
    NextContinuationToken?: string | undefined
  }>
  /** Starts a multipart upload. */
  createMultipartUpload(input: ObjectName): Promise<{ UploadId?: string | undefined }>
  /** Uploads a part. */
  uploadPart(
    input: PartsName & { PartNumber: number; Body: Uint8Array; ContentLength: number },
  ): Promise<{ ETag?: string | undefined }>
  /** Completes an object from the parts. */
  completeMultipartUpload(
    input: PartsName & { MultipartUpload: { Parts: { ETag: string; PartNumber: number }[] } },
  ): Promise<unknown>
  /** Aborts the multipart upload. */
  abortMultipartUpload(input: PartsName): Promise<unknown>
  /** Lists multipart uploads that are neither completed nor aborted. */
  listMultipartUploads(input: { Bucket: string; Prefix: string; KeyMarker?: string }): Promise<{
    Uploads?:
      | { Key?: string | undefined; UploadId?: string | undefined; Initiated?: Date | undefined }[]
      | undefined
    NextKeyMarker?: string | undefined
  }>
}

const nameOf = (error: unknown): string => (error instanceof Error ? error.name : '')

/** Whether an error says that the object does not exist. */
export const isMissing = (error: unknown): boolean => /^(?:NoSuchKey|NotFound)$/.test(nameOf(error))

/** Whether an error says that a range is outside its object. */
export const isOutside = (error: unknown): boolean => nameOf(error) === 'InvalidRange'

/** Whether an error says that the bucket cannot be used: another name or other permissions are needed. */
export const isDenied = (error: unknown): boolean =>
  /^(?:AccessDenied|NoSuchBucket|InvalidAccessKeyId|SignatureDoesNotMatch|Forbidden)$/.test(nameOf(error))

/** Whether the object store was not reached, or is in trouble: the SDK tells its own errors, with how often it tried. */
export function isUnreachable(error: unknown): boolean {
  if (!(error instanceof Error) || !('$metadata' in error) || nameOf(error) === 'NotImplemented') return false
  const metadata: unknown = error.$metadata
  if (typeof metadata !== 'object' || metadata === null) return false
  const status = 'httpStatusCode' in metadata ? Number(metadata.httpStatusCode) : Number.NaN
  return Number.isNaN(status) || status === 429 || status >= 500
}
