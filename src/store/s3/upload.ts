import type { S3Client } from './client.ts'

/** Where an object is stored, and its headers. */
export interface UploadPlan {
  readonly client: S3Client
  readonly at: { readonly Bucket: string; readonly Key: string }
  readonly partBytes: number
}

/** How many parts are uploaded concurrently: one is assembled while others are sent. */
const partsAtOnce = 3

/**
 * Sends bytes as one object, in parts if they are longer than one part.
 *
 * @param isWanted - called at the end; if it returns false, nothing is stored, and an existing object stays
 */
export async function upload(
  { client, at, partBytes }: UploadPlan,
  bytes: AsyncIterable<Uint8Array>,
  isWanted: () => boolean,
): Promise<void> {
  const parts = inParts(bytes, partBytes)
  const first = await parts.next()
  const second = first.done ? first : await parts.next()
  if (second.done) {
    const body = first.done ? new Uint8Array() : first.value
    if (isWanted()) await client.putObject({ ...at, Body: body, ContentLength: body.length })
    return
  }
  const { UploadId } = await client.createMultipartUpload(at)
  if (UploadId === undefined) throw new Error('the object store returned no ID for a multipart upload')
  const whole = { ...at, UploadId }
  // A failed abort is repeated at a later start.
  const drop = () => client.abortMultipartUpload(whole).catch(() => undefined)
  const sending: Promise<{ ETag: string; PartNumber: number }>[] = []
  try {
    const sendPart = async (Body: Uint8Array) => {
      const PartNumber = sending.length + 1
      const sent = client
        .uploadPart({ ...whole, PartNumber, Body, ContentLength: Body.length })
        .then(({ ETag = '' }) => ({ ETag, PartNumber }))
      // Its rejection is handled when it is awaited, below.
      sent.catch(() => undefined)
      sending.push(sent)
      await sending[sending.length - partsAtOnce]
    }
    if (!first.done) await sendPart(first.value)
    await sendPart(second.value)
    for await (const part of parts) await sendPart(part)
    const Parts = await Promise.all(sending)
    if (isWanted()) await client.completeMultipartUpload({ ...whole, MultipartUpload: { Parts } })
    else await drop()
  } catch (error) {
    // Otherwise a part that is still being sent would remain.
    await Promise.allSettled(sending)
    await drop()
    throw error
  }
}

/** Splits bytes into parts of one size; the last may be shorter. */
async function* inParts(
  bytes: AsyncIterable<Uint8Array>,
  partBytes: number,
): AsyncGenerator<Uint8Array, void> {
  let part = new Uint8Array(partBytes)
  let filled = 0
  for await (const chunk of bytes)
    for (let at = 0; at < chunk.length; ) {
      const some = chunk.subarray(at, at + partBytes - filled)
      part.set(some, filled)
      filled += some.length
      at += some.length
      if (filled < partBytes) continue
      yield part
      part = new Uint8Array(partBytes)
      filled = 0
    }
  if (filled > 0) yield part.subarray(0, filled)
}
