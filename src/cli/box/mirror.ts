import type { FlagValues } from '../command/declaration.ts'
import type { mirrorFlags } from '../commands/box/flags.ts'
import { UserError } from '../user-error.ts'
import {
  type CatalogClient,
  catalogClient,
  Declined,
  type Fields,
  listOf,
  made,
  targetOf,
  textOf,
} from './catalog-client.ts'
import { mirrorImage } from './mirror-image.ts'
import { ensure, type ImagePlace, nameOf, release } from './place-box.ts'
import { boxNamed } from './push.ts'
import { credentials, type ReadSource, sourceReader } from './source-reader.ts'
import { sourceToken } from './source-token.ts'
import { verifyBoxes } from './verify.ts'

/** `plinth box mirror`: copies boxes from another catalog; existing ones stay unchanged. */
export async function mirrorCommand(
  flags: FlagValues<typeof mirrorFlags>,
  words: readonly string[],
): Promise<void> {
  const [address = '', tag = ''] = words
  const { user, name } = boxNamed(tag)
  const parallel = Number(flags.parallel ?? 4)
  if (!Number.isInteger(parallel) || parallel < 1 || parallel > 64)
    throw new UserError(`--parallel takes a whole number from 1 to 64, not "${flags.parallel}"`, 2)
  const tokens = sourceToken(flags['source-token-env'])
  const from = catalogClient({ URL: address }, tokens)
  const to = flags['dry-run'] || flags.verify ? undefined : targetOf(flags.to)
  const read = sourceReader(from, tokens === undefined)
  const names = name === undefined ? await namesOf(read, user) : [name]
  if (names.length === 0 && tokens === undefined)
    throw new UserError(
      `${user} has no public boxes at ${from.url}; private ones need credentials: ${credentials}`,
    )
  if (flags.verify) await verifyBoxes({ from, read, to: targetOf(flags.to), user, names, parallel })
  else await copyBoxes({ from, read, to, user, names, parallel, keepsHistory: flags['keep-history'] })
  if (name === undefined && tokens === undefined)
    process.stderr.write(
      `note: without credentials only the public boxes of ${user} were seen; for private ones ${credentials}\n`,
    )
}

interface Copying extends Omit<Work, 'failed' | 'copied'> {
  readonly parallel: number
  readonly keepsHistory: boolean
}

async function copyBoxes({ parallel, keepsHistory, ...work }: Copying): Promise<void> {
  const { from, to, user, names } = work
  if (to && names.length > 0) await ensure.owner(to, user)
  const counts = { copied: 0, present: 0, absent: 0, failed: 0 }
  const failed = (error: UserError) => {
    process.stderr.write(`${error.message}\n`)
    counts.failed += 1
  }
  const copied: Fields[] = []
  const images = imagesOf({ ...work, failed, copied })
  if (to === undefined) await tellDryRun(images)
  else {
    const worker = async () => {
      for await (const { at, provider, done } of images) {
        const became = await mirrorImage(from, to, at, provider).catch((error: unknown) => {
          if (!(error instanceof UserError)) throw error
          failed(error)
          return undefined
        })
        if (became === undefined) continue
        counts[became] += 1
        await done(became !== 'absent')
      }
    }
    await Promise.all(Array.from({ length: parallel }, worker))
    process.stdout.write(`${counts.copied} images copied, ${counts.present} already there\n`)
    if (keepsHistory) for (const box of copied) await keepHistory(to, user, box)
  }
  if (counts.failed > 0)
    throw new UserError(
      `${counts.failed} could not be copied, and their versions stay unreleased; run the command again`,
    )
}

async function tellDryRun(images: AsyncIterable<WantedImage>): Promise<void> {
  let count = 0
  for await (const { at } of images) {
    process.stdout.write(`${nameOf(at)}\n`)
    count += 1
  }
  process.stdout.write(`${count} images would be checked\n`)
}

/** The boxes of a user; servers without pages return all of them each time. */
async function namesOf(read: ReadSource, user: string): Promise<readonly string[]> {
  const names = new Set<string>()
  for (let page = 1; ; page += 1) {
    const query = `?page=${page}&limit=100`
    const boxes = listOf(await read(['user', user], user, query), 'boxes')
    const before = names.size
    for (const box of boxes) {
      const name = textOf(box, 'name')
      if (name !== undefined) names.add(name)
    }
    if (names.size === before || boxes.length < 100) return [...names]
  }
}

/** Gives a box the dates and the downloads that it has in the other catalog. */
async function keepHistory(to: CatalogClient, user: string, box: Fields): Promise<void> {
  const dates = (of: Fields) => ({ created_at: of['created_at'], updated_at: of['updated_at'] })
  const json = {
    created_at: box['created_at'],
    downloads: box['downloads'] ?? 0,
    versions: listOf(box, 'versions').map((version) => ({ version: version['version'], ...dates(version) })),
  }
  const name = textOf(box, 'name') ?? ''
  const set = await to.administer('PUT', ['owners', user, 'boxes', name, 'history'], { json })
  made(set, `cannot set the dates of ${user}/${name}`)
}

/** An image in the other catalog. */
interface WantedImage {
  readonly at: ImagePlace
  readonly provider: Fields
  /** Called once it is stored or skipped: after the last one of a version, the version is released if it has an image. */
  readonly done: (isThere: boolean) => Promise<void>
}

interface Work {
  readonly from: CatalogClient
  readonly read: ReadSource
  /** Without it, nothing is changed. */
  readonly to: CatalogClient | undefined
  readonly user: string
  readonly names: readonly string[]
  /** Hears what one of the catalogs declined; the others go on. */
  readonly failed: (error: UserError) => void
  /** Gets every box that is copied, as the other catalog answers it. */
  readonly copied: Fields[]
}

/** The images of all released versions, box by box; boxes and versions are created on the way. */
async function* imagesOf({ read, to, user, names, failed, copied }: Work): AsyncGenerator<WantedImage> {
  const unlessDeclined = <Found>(asking: Promise<Found>): Promise<Found | undefined> =>
    asking.catch((error: unknown) => {
      if (!(error instanceof Declined)) throw error
      failed(error)
      return undefined
    })
  const copyBox = async (name: string): Promise<Fields> => {
    const box = await read(['box', user, name], `${user}/${name}`)
    if (to) await ensure.box(to, { user, name }, boxFields(box))
    return box
  }
  for (const name of names) {
    const box = await unlessDeclined(copyBox(name))
    if (box) copied.push(box)
    for (const version of box ? listOf(box, 'versions') : []) {
      const number = textOf(version, 'version')
      if (number === undefined || version['status'] !== 'active') continue
      const at = { user, name, version: number }
      const there =
        to && (await unlessDeclined(ensure.version(to, at, textOf(version, 'description_markdown'))))
      if (to && there === undefined) continue
      if (there?.['status'] === 'revoked') {
        process.stderr.write(`warning: ${user}/${name} ${number} is revoked there; left unchanged\n`)
        continue
      }
      const providers = listOf(version, 'providers').filter((each) => textOf(each, 'name') !== undefined)
      let left = providers.length
      let hasImages = false
      const done = async (isThere: boolean) => {
        left -= 1
        hasImages ||= isThere
        if (left === 0 && hasImages && to && there) await release(to, at, there)
      }
      for (const provider of providers) {
        const architecture = textOf(provider, 'architecture') ?? 'unknown'
        yield { at: { ...at, provider: textOf(provider, 'name') ?? '', architecture }, provider, done }
      }
    }
  }
}

const boxFields = (box: Fields): Fields => ({
  short_description: textOf(box, 'short_description') ?? '',
  description: textOf(box, 'description_markdown') ?? '',
  is_private: box['private'] === true,
})
