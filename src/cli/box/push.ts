import { stat } from 'node:fs/promises'
import type { FlagValues } from '../command/declaration.ts'
import type { pushFlags } from '../commands/box/flags.ts'
import { whyNot } from '../file-text.ts'
import { progress } from '../progress.ts'
import { fileBody } from '../send.ts'
import { UserError } from '../user-error.ts'
import { Declined, type Fields, made, targetOf, textOf } from './catalog-client.ts'
import { checkQuota } from './check-quota.ts'
import { sha256Of } from './digest.ts'
import {
  countImages,
  declare,
  ensure,
  hasImage,
  type ImagePlace,
  nameOf,
  readProvider,
  release,
  sendImage,
} from './place-box.ts'

/** `plinth box push`: makes what is missing, sends the image, releases the version. */
export async function pushCommand(
  flags: FlagValues<typeof pushFlags>,
  words: readonly string[],
): Promise<void> {
  const [tag = '', version = '', file = ''] = words
  const { user, name } = oneBox(tag)
  const { provider, architecture = 'unknown' } = flags
  if (provider === undefined)
    throw new UserError('--provider is missing: name the provider of the box, such as virtualbox', 2)
  const releaseAfter = flags['release-after'] === undefined ? undefined : countOf(flags['release-after'])
  if (releaseAfter !== undefined && flags['no-release'])
    throw new UserError('--release-after and --no-release contradict each other: leave one out', 2)
  const at: ImagePlace = { user, name, version, provider, architecture }
  const found = await stat(file).catch((error: unknown) => {
    throw new UserError(`cannot read ${file}: ${whyNot(error)}`)
  })
  if (!found.isFile()) throw new UserError(`cannot send ${file}: it is not a file`)
  const { size } = found
  const what = nameOf(at)
  if (flags['dry-run']) {
    process.stdout.write(`would send ${file} (${size} bytes) as ${what}\n`)
    return
  }
  const to = targetOf(flags.to)
  const hex = await sha256Of(file)
  await checkQuota(to, at, size)
  await ensure.box(to, at, { is_private: flags.private })
  const ensured = await ensure.version(to, at, undefined)
  const checksum = { checksum: hex, checksum_type: 'sha256' }
  const { known } = await ensure.provider(to, at, checksum)
  const isStored = async (provider: Fields | undefined) =>
    provider !== undefined && textOf(provider, 'checksum') === hex && (await hasImage(to, provider))
  let isThere = await isStored(known)
  if (!isThere) {
    // The checksum announces the image; one that is elsewhere keeps none in the meantime.
    const isElsewhere = known['hosted'] === false
    if (textOf(known, 'checksum') !== hex)
      await declare(to, at, isElsewhere ? { checksum: '', checksum_type: '' } : checksum)
    const shown = progress(what)
    try {
      await sendImage(to, at, fileBody(file, size), { shown })
      if (isElsewhere) await declare(to, at, checksum)
    } catch (error) {
      // Another client may have sent the same image.
      isThere = error instanceof Declined && (await isStored(await readProvider(to, at)))
      if (!isThere) throw error
    } finally {
      shown.end()
    }
  }
  process.stdout.write(`${isThere ? 'already there' : 'sent'}: ${what}, sha256 ${hex}\n`)
  if (flags['no-release']) return
  const there = releaseAfter === undefined ? undefined : await countImages(to, at)
  if (releaseAfter === undefined || there === undefined || there >= releaseAfter)
    await release(to, at, ensured)
  else process.stdout.write(`not released: ${there} of ${releaseAfter} images are there\n`)
}

/** `plinth box release`: releases a version whose images were sent without releasing it. */
export async function releaseCommand(
  { to: address }: { readonly to: string | undefined },
  words: readonly string[],
): Promise<void> {
  const [tag = '', version = ''] = words
  const { user, name } = oneBox(tag)
  const wasReleased = await release(targetOf(address), { user, name, version })
  process.stdout.write(`${wasReleased ? 'already released' : 'released'}: ${tag} ${version}\n`)
}

/** `plinth box revoke` */
export async function revokeCommand(
  { to: address }: { readonly to: string | undefined },
  words: readonly string[],
): Promise<void> {
  const [tag = '', version = ''] = words
  const { user, name } = oneBox(tag)
  const path = ['box', user, name, 'version', version, 'revoke']
  made(await targetOf(address).call('PUT', path), `revoking ${tag} ${version}`)
  process.stdout.write(`revoked: ${tag} ${version}\n`)
}

/** Reads a number of images. */
function countOf(text: string): number {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text)
  throw new UserError(`--release-after takes the number of images of the version, not "${text}"`, 2)
}

/** Reads `USER` or `USER/NAME`. */
export function boxNamed(text: string): { readonly user: string; readonly name: string | undefined } {
  const [user = '', name, ...rest] = text.split('/')
  if (user === '' || name === '' || rest.length > 0) throw notBox(text)
  return { user, name }
}

/** Reads `USER/NAME`. */
export function oneBox(text: string): { readonly user: string; readonly name: string } {
  const { user, name } = boxNamed(text)
  if (name === undefined) throw notBox(text)
  return { user, name }
}

const notBox = (text: string) => new UserError(`write the box as USER/NAME, not "${text}"`, 2)
