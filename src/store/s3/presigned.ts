import { type BlobAddresses, checkBlobId } from '../blobs/blobs.ts'
import type { ObjectName } from './client.ts'

/**
 * A request that a client may send to the bucket itself: the input of `GetObjectCommand` or `PutObjectCommand`, and
 * which of the two.
 */
export type PresignedRequest =
  | {
      readonly method: 'GET'
      readonly Bucket: string
      readonly Key: string
      readonly ResponseContentType: string
      readonly ResponseContentDisposition: string
    }
  | { readonly method: 'PUT'; readonly Bucket: string; readonly Key: string }

export const addressesBy = (
  presign: (request: PresignedRequest, seconds: number) => Promise<string>,
  at: (id: string) => ObjectName,
): BlobAddresses => ({
  download: async (id, { seconds, type }) => {
    checkBlobId(id)
    // A browser must not render an uploaded file as a page of the bucket.
    const shown = { ResponseContentType: type, ResponseContentDisposition: 'attachment' }
    return presign({ method: 'GET', ...at(id), ...shown }, seconds)
  },
  upload: async (id, { seconds }) => {
    checkBlobId(id)
    return presign({ method: 'PUT', ...at(id) }, seconds)
  },
})
