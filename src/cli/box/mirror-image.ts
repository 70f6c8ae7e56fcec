import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import type { Download } from '../digests-at.ts'
import { webUrl } from '../open-url.ts'
import { progress } from '../progress.ts'
import { UserError } from '../user-error.ts'
import { type CatalogClient, type Fields, textOf } from './catalog-client.ts'
import { fetchImage, type IncomingImage } from './incoming-image.ts'
import { partPath, removePart } from './part.ts'
import { declare, ensure, hasImage, type ImagePlace, nameOf, sendImage } from './place-box.ts'

export interface Checksum {
  readonly type: string
  readonly hex: string
}

/** Copies a provider with its image, unless the image exists already, or is missing in the source catalog. */
export async function mirrorImage(
  from: CatalogClient,
  to: CatalogClient,
  at: ImagePlace,
  provider: Fields,
): Promise<'copied' | 'present' | 'absent'> {
  const what = nameOf(at)
  const checksum = checksumOf(provider)
  const external = provider['hosted'] === false ? textOf(provider, 'original_url') : undefined
  const given = textOf(provider, 'download_url') ?? textOf(provider, 'url')
  if (external === undefined && given === undefined) {
    process.stderr.write(`warning: ${what} has no image in the other catalog; skipped\n`)
    return 'absent'
  }
  const { known, isNew } = await ensure.provider(to, at, {
    ...(checksum && { checksum: checksum.hex, checksum_type: checksum.type }),
    ...(external === undefined ? {} : { url: external }),
    ...(provider['default_architecture'] === true ? { default_architecture: true } : {}),
  })
  if (external !== undefined || (await hasImage(to, known))) {
    const there = checksumOf(known)
    if (checksum && there?.type === checksum.type && there.hex !== checksum.hex)
      process.stderr.write(`warning: ${what} has a different checksum there; left unchanged\n`)
    return isNew ? 'copied' : 'present'
  }
  const source = imageAt(from, given ?? '')
  if (source === undefined)
    throw new UserError(`${what}: the URL "${given}" of its image is not an http or https URL`)
  const stated = checksumOf(known)
  if (checksum && (stated?.type !== checksum.type || stated.hex !== checksum.hex))
    await declare(to, at, { checksum: checksum.hex, checksum_type: checksum.type })
  const path = await partPath(from.url, what)
  const image = await fetchImage({ ...source, isChecked: checksum !== undefined }, path)
  try {
    await passOn(image, to, at, checksum)
  } catch (error) {
    if (error instanceof WrongBytes) await removePart(path)
    throw error
  } finally {
    await image.close()
  }
  await removePart(path)
  return 'copied'
}

/** Where the other catalog has an image: a URL without a host is its own. Its token is for itself only. */
export function imageAt(from: CatalogClient, given: string): Download | undefined {
  const url = webUrl(given, `${from.url}/`)
  if (url === undefined) return undefined
  const isOwn = url.origin === new URL(from.url).origin
  return { url: url.href, headers: isOwn ? from.headers : async () => ({}) }
}

/** The downloaded bytes do not have the checksum of the other catalog. */
class WrongBytes extends UserError {}

/** Uploads an image while it is being downloaded. */
async function passOn(
  image: IncomingImage,
  to: CatalogClient,
  at: ImagePlace,
  checksum: Checksum | undefined,
): Promise<void> {
  const what = nameOf(at)
  const shown = progress(what)
  let sum = ''
  const summed = async function* () {
    const hash = checksum && createHash(checksum.type)
    for await (const chunk of image.read()) {
      hash?.update(chunk)
      yield chunk
    }
    sum = hash?.digest('hex') ?? ''
  }
  try {
    const body = { size: await image.size, open: () => Readable.from(summed(), { objectMode: false }) }
    await sendImage(to, at, body, { shown, check })
  } finally {
    shown.end()
  }
  function check(): void {
    if (checksum && sum !== checksum.hex)
      throw new WrongBytes(
        `${what}: the fetched bytes do not have the ${checksum.type} checksum ${checksum.hex}; run this again`,
      )
  }
}

export function checksumOf(provider: Fields): Checksum | undefined {
  const [type, hex] = [textOf(provider, 'checksum_type'), textOf(provider, 'checksum')]
  return type === undefined || hex === undefined
    ? undefined
    : { type: type.toLowerCase(), hex: hex.toLowerCase() }
}
