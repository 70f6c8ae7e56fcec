import { createHash } from 'node:crypto'
import { mkdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FlagValues } from '../command/declaration.ts'
import type { mirrorFlags } from '../commands/box/mirror.ts'
import { partOf, progress } from '../progress.ts'
import { UserError } from '../user-error.ts'
import {
  type CatalogClient,
  catalogClient,
  type Fields,
  listOf,
  made,
  targetOf,
  textOf,
} from './catalog-client.ts'
import { digestOf, download } from './download.ts'
import { ensure, type ImagePlace, release, sendImage } from './place-box.ts'
import { boxNamed, hasImage } from './push.ts'

interface Counts {
  copied: number
  present: number
}

/** `plinth box mirror`: copies boxes from another catalog; what is there already stays. */
export async function mirrorCommand(
  flags: FlagValues<typeof mirrorFlags>,
  words: readonly string[],
): Promise<void> {
  const [address = '', tag = ''] = words
  const { user, name } = boxNamed(tag)
  const parallel = Number(flags.parallel ?? 4)
  if (!Number.isInteger(parallel) || parallel < 1 || parallel > 64)
    throw new UserError(`--parallel takes a whole number from 1 to 64, not "${flags.parallel}"`, 2)
  const from = catalogClient(address, sourceToken(flags['source-token-env']))
  const to = flags['dry-run'] ? undefined : targetOf(flags.to)
  const names = name === undefined ? await namesOf(from, user) : [name]
  const counts: Counts = { copied: 0, present: 0 }
  if (to && names.length > 0) await ensure.user(to, user)
  for (const each of names) {
    const box = made(await from.call('GET', ['box', user, each]), `${user}/${each}`)
    await mirrorBox({ from, to, user, name: each, parallel, counts }, box)
  }
  process.stdout.write(
    to
      ? `${counts.copied} images copied, ${counts.present} were there already\n`
      : `${counts.copied} images would be looked at\n`,
  )
}

interface Work {
  readonly from: CatalogClient
  /** Nothing is changed without it. */
  readonly to: CatalogClient | undefined
  readonly user: string
  readonly name: string
  readonly parallel: number
  readonly counts: Counts
}

function sourceToken(name: string | undefined): string | undefined {
  if (name === undefined) return undefined
  const token = process.env[name]?.trim() ?? ''
  if (token === '')
    throw new UserError(`${name} is not set: --source-token-env names the variable of a token`)
  return token
}

/** The boxes of a user; servers that know no pages send all of them each time. */
async function namesOf(from: CatalogClient, user: string): Promise<readonly string[]> {
  const names = new Set<string>()
  for (let page = 1; ; page += 1) {
    const query = `?page=${page}&limit=100`
    const boxes = listOf(made(await from.call('GET', ['user', user], { query }), user), 'boxes')
    const before = names.size
    for (const box of boxes) {
      const name = textOf(box, 'name')
      if (name !== undefined) names.add(name)
    }
    if (names.size === before || boxes.length < 100) return [...names]
  }
}

async function mirrorBox(work: Work, box: Fields): Promise<void> {
  const { to, user, name } = work
  if (to)
    await ensure.box(
      to,
      { user, name },
      {
        short_description: textOf(box, 'short_description') ?? '',
        description: textOf(box, 'description_markdown') ?? '',
        is_private: box['private'] === true,
      },
    )
  const versions = listOf(box, 'versions').filter(({ status }) => status === 'active')
  for (const version of versions) {
    const number = textOf(version, 'version')
    if (number === undefined) continue
    const at = { user, name, version: number }
    const there = to && (await ensure.version(to, at, textOf(version, 'description_markdown')))
    const left = [...listOf(version, 'providers')]
    const worker = async () => {
      for (let provider = left.shift(); provider; provider = left.shift())
        await mirrorProvider(work, at, provider)
    }
    await Promise.all(Array.from({ length: work.parallel }, worker))
    if (to && there) await release(to, at, there)
  }
}

async function mirrorProvider(
  { from, to, counts }: Work,
  version: Omit<ImagePlace, 'provider' | 'architecture'>,
  provider: Fields,
): Promise<void> {
  const name = textOf(provider, 'name')
  if (name === undefined) return
  const at: ImagePlace = {
    ...version,
    provider: name,
    architecture: textOf(provider, 'architecture') ?? 'unknown',
  }
  const what = `${at.user}/${at.name} ${at.version} ${name} ${at.architecture}`
  if (!to) {
    process.stdout.write(`${what}\n`)
    counts.copied += 1
    return
  }
  const type = textOf(provider, 'checksum_type')
  const checksum = type === undefined ? undefined : textOf(provider, 'checksum')
  const external = provider['hosted'] === false ? textOf(provider, 'original_url') : undefined
  const known = await ensure.provider(to, at, {
    ...(checksum === undefined ? {} : { checksum, checksum_type: type }),
    ...(external === undefined ? {} : { url: external }),
    ...(provider['default_architecture'] === true ? { default_architecture: true } : {}),
  })
  if (external !== undefined || (await hasImage(to.headers, known))) {
    counts.present += 1
    return
  }
  const url = textOf(provider, 'download_url') ?? textOf(provider, 'url')
  if (url === undefined) throw new UserError(`${what}: the other catalog names no address of its image`)
  const path = await unfinishedOf(from.url, what)
  const shown = progress(what)
  try {
    const headers = new URL(url).origin === new URL(from.url).origin ? from.headers : {}
    await download(url, headers, path, partOf(shown, 0, 0.5))
    if (
      checksum !== undefined &&
      type !== undefined &&
      (await digestOf(path, type)) !== checksum.toLowerCase()
    ) {
      await rm(path, { force: true })
      throw new UserError(
        `${what}: the fetched bytes do not have the ${type} checksum ${checksum}; run this again`,
      )
    }
    await sendImage(to, at, path, partOf(shown, 0.5, 1))
    await rm(path, { force: true })
    counts.copied += 1
  } finally {
    shown.end()
  }
}

/** Where an image is kept until it is sent: the same file in every run, so that one goes on where another broke off. */
async function unfinishedOf(source: string, what: string): Promise<string> {
  const folder = join(tmpdir(), `plinth-mirror-${process.getuid?.() ?? ''}`)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  return join(folder, createHash('sha256').update(`${source} ${what}`).digest('hex'))
}
