import { getHashes } from 'node:crypto'
import { type Download, digestsAt } from '../digests-at.ts'
import { UserError } from '../user-error.ts'
import { type CatalogClient, type Fields, found, listOf, textOf } from './catalog-client.ts'
import { type Checksum, checksumOf, imageAt } from './mirror-image.ts'
import type { ReadSource } from './source-reader.ts'

/** An image of a released version in the one catalog, and what the other one has in its place. */
interface Pair {
  readonly what: string
  readonly source: Fields
  readonly copy: Fields | undefined
}

interface Verified {
  readonly from: CatalogClient
  readonly read: ReadSource
  readonly to: CatalogClient
  readonly user: string
  readonly names: readonly string[]
  /** How many images are read at the same time. */
  readonly parallel: number
}

/**
 * Compares the released versions of boxes in two catalogs, and prints a line for each difference. Reads every image of
 * the second one.
 */
export async function verifyBoxes({ from, to, user, parallel, ...more }: Verified): Promise<void> {
  let [same, different] = [0, 0]
  const tell: Tell = (what, problem) => {
    different += 1
    process.stdout.write(`${what}: ${problem}\n`)
  }
  const pairs = pairsOf({ ...more, from, to, user }, tell)
  const worker = async () => {
    for await (const { what, source, copy } of pairs) {
      const problem = await problemOf({ from, to }, source, copy).catch((error: unknown) => {
        if (error instanceof UserError) return error.message
        throw error
      })
      if (problem === undefined) same += 1
      else tell(what, problem)
    }
  }
  await Promise.all(Array.from({ length: parallel }, worker))
  process.stdout.write(`${same} images are the same, ${different} differences\n`)
  if (different > 0)
    throw new UserError(`${to.url} is not a complete copy of the boxes of ${user} at ${from.url}`)
}

type Tell = (what: string, problem: string) => void

/** The images to compare, box by box; tells of boxes and versions that differ themselves. */
async function* pairsOf(
  { from, read, to, user, names }: Omit<Verified, 'parallel'>,
  tell: Tell,
): AsyncGenerator<Pair> {
  for (const name of names) {
    const tag = `${user}/${name}`
    const source = await read(['box', user, name], `${tag} at ${from.url}`)
    const copy = found(await to.call('GET', ['box', user, name]), `${tag} at ${to.url}`)
    if (copy === undefined) {
      tell(tag, 'the box is missing')
      continue
    }
    if ((source['private'] === true) !== (copy['private'] === true))
      tell(tag, `private is ${copy['private']}, not ${source['private']}`)
    const copies = new Map(listOf(copy, 'versions').map((version) => [textOf(version, 'version'), version]))
    for (const version of listOf(source, 'versions')) {
      const number = textOf(version, 'version')
      if (version['status'] !== 'active') continue
      const there = copies.get(number)
      const what = `${tag} ${number}`
      if (there?.['status'] !== 'active') {
        tell(what, there === undefined ? 'the version is missing' : `the version is ${there['status']}`)
        continue
      }
      const images = new Map(listOf(there, 'providers').map((provider) => [keyOf(provider), provider]))
      for (const provider of listOf(version, 'providers')) {
        // Without an image there is nothing to copy.
        if (provider['hosted'] !== false && addressOf(provider) === undefined) continue
        const key = keyOf(provider)
        yield { what: `${what} ${key}`, source: provider, copy: images.get(key) }
      }
    }
  }
}

const keyOf = (provider: Fields): string =>
  `${textOf(provider, 'name')} ${textOf(provider, 'architecture') ?? 'unknown'}`

/** How an image differs from that of the other catalog; `undefined` if it does not. */
async function problemOf(
  { from, to }: Pick<Verified, 'from' | 'to'>,
  source: Fields,
  copy: Fields | undefined,
): Promise<string | undefined> {
  if (copy === undefined) return 'the image is missing'
  const [wanted, stated] = [checksumOf(source), checksumOf(copy)]
  if (wanted && (stated === undefined || (stated.type === wanted.type && stated.hex !== wanted.hex)))
    return `the checksum is ${stated?.hex ?? 'absent'}, not ${wanted.hex}`
  if (source['hosted'] === false) {
    const [url, other] = [source, copy].map((provider) => textOf(provider, 'original_url'))
    return url === other ? undefined : `it links to ${other ?? 'nothing'}, not to ${url}`
  }
  const checksums = [wanted, stated].filter((checksum) => checksum !== undefined)
  const types = [...new Set(checksums.length === 0 ? ['sha256'] : checksums.map(({ type }) => type))]
  const address = addressOf(copy)
  const has = address && (await digestsOf({ url: to.at(address), headers: to.headers }, types))
  if (!has) return 'its bytes are missing'
  // If the other catalog states no checksum, only its bytes say what they are.
  const expected = wanted ? checksums : [...checksums, ...(await readChecksums(from, source, types))]
  const damaged = expected.find(({ type, hex }) => has.get(type) !== hex)
  return damaged && `its bytes have the ${damaged.type} checksum ${has.get(damaged.type)}, not ${damaged.hex}`
}

async function readChecksums(
  from: CatalogClient,
  source: Fields,
  types: readonly string[],
): Promise<readonly Checksum[]> {
  const place = imageAt(from, addressOf(source) ?? '')
  const read = place && (await digestsOf(place, types))
  if (read === undefined) throw new UserError('its bytes are missing in the other catalog')
  return types.map((type) => ({ type, hex: read.get(type) ?? '' }))
}

/** The digests of an image by algorithm; `undefined` if it has no bytes. */
async function digestsOf(
  place: Download,
  types: readonly string[],
): Promise<ReadonlyMap<string, string | undefined> | undefined> {
  const unknown = types.find((type) => !getHashes().includes(type))
  if (unknown !== undefined) throw new UserError(`its checksum has the unknown type ${unknown}`)
  const digests = await digestsAt(place, types)
  return digests && new Map(types.map((type, at) => [type, digests[at]]))
}

const addressOf = (provider: Fields): string | undefined =>
  textOf(provider, 'download_url') ?? textOf(provider, 'url')
