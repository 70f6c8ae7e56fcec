import { stat } from 'node:fs/promises'
import type { FlagValues } from '../command/declaration.ts'
import type { pushFlags } from '../commands/box/flags.ts'
import { whyNot } from '../file-text.ts'
import { progress } from '../progress.ts'
import { fileBody } from '../send.ts'
import { UserError } from '../user-error.ts'
import { targetOf, textOf } from './catalog-client.ts'
import { sha256Of } from './digest.ts'
import { declare, ensure, hasImage, type ImagePlace, release, sendImage } from './place-box.ts'

/** `plinth box push`: makes what is missing, sends the image, releases the version. */
export async function pushCommand(
  flags: FlagValues<typeof pushFlags>,
  words: readonly string[],
): Promise<void> {
  const [tag = '', version = '', file = ''] = words
  const { user, name } = boxNamed(tag)
  const { provider, architecture = 'unknown' } = flags
  if (name === undefined) throw new UserError(`write the box as USER/NAME, not "${tag}"`, 2)
  if (provider === undefined)
    throw new UserError('--provider is missing: name the provider of the box, such as virtualbox', 2)
  const at: ImagePlace = { user, name, version, provider, architecture }
  const found = await stat(file).catch((error: unknown) => {
    throw new UserError(`cannot read ${file}: ${whyNot(error)}`)
  })
  if (!found.isFile()) throw new UserError(`cannot send ${file}: it is not a file`)
  const { size } = found
  const what = `${tag} ${version} ${provider} ${architecture}`
  if (flags['dry-run']) {
    process.stdout.write(`would send ${file} (${size} bytes) as ${what}\n`)
    return
  }
  const to = targetOf(flags.to)
  const hex = await sha256Of(file)
  await ensure.box(to, at, { is_private: flags.private })
  const made = await ensure.version(to, at, undefined)
  const checksum = { checksum: hex, checksum_type: 'sha256' }
  const { known } = await ensure.provider(to, at, checksum)
  const isThere = textOf(known, 'checksum') === hex && (await hasImage(to, known))
  if (!isThere) {
    if (textOf(known, 'checksum') !== hex) {
      // An image that is there has another checksum: it is replaced by what is sent, and checked by that.
      await declare(to, at, { checksum: null, checksum_type: null })
    }
    const shown = progress(what)
    try {
      await sendImage(to, at, fileBody(file, size), { shown })
    } finally {
      shown.end()
    }
    await declare(to, at, checksum)
  }
  if (!flags['no-release']) await release(to, at, made)
  process.stdout.write(`${isThere ? 'already there' : 'sent'}: ${what}, sha256 ${hex}\n`)
}

/** Reads `USER` or `USER/NAME`. */
export function boxNamed(text: string): { readonly user: string; readonly name: string | undefined } {
  const [user = '', name, ...rest] = text.split('/')
  if (user === '' || name === '' || rest.length > 0)
    throw new UserError(`write the box as USER/NAME, not "${text}"`, 2)
  return { user, name }
}
