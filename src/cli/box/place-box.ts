import type { Progress } from '../progress.ts'
import type { SentBody } from '../send.ts'
import { UserError } from '../user-error.ts'
import { type CatalogClient, type Fields, found, made, persistently, textOf } from './catalog-client.ts'

/** The place of an image. */
export interface ImagePlace {
  readonly user: string
  readonly name: string
  readonly version: string
  readonly provider: string
  readonly architecture: string
}

const boxOf = ({ user, name }: Pick<ImagePlace, 'user' | 'name'>) => ['box', user, name]
const versionOf = (at: Omit<ImagePlace, 'provider' | 'architecture'>) => [...boxOf(at), 'version', at.version]
const providerOf = (at: ImagePlace) => [...versionOf(at), 'provider', at.provider, at.architecture]

/** Creates what is missing in a catalog; existing objects stay unchanged. */
export const ensure = {
  /** The owner of boxes: an organization without members, which can still become a user. */
  owner: async (to: CatalogClient, user: string): Promise<void> => {
    if (found(await to.call('GET', ['user', user], { query: '?limit=1' }), user) !== undefined) return
    const organization = await to.administer('POST', ['organizations'], {
      json: { username: user, members: [] },
    })
    if (found(organization, `making the organization ${user}`) !== undefined) return
    // A catalog of another make.
    made(await to.call('POST', ['users'], { json: { user: { username: user } } }), `making the user ${user}`)
  },
  box: async (to: CatalogClient, at: Pick<ImagePlace, 'user' | 'name'>, fields: Fields): Promise<Fields> => {
    const what = `${at.user}/${at.name}`
    const known = found(await to.call('GET', boxOf(at)), what)
    if (known) return known
    const json = { box: { username: at.user, name: at.name, ...fields } }
    return made(await to.call('POST', ['boxes'], { json }), what)
  },
  version: async (
    to: CatalogClient,
    at: Omit<ImagePlace, 'provider' | 'architecture'>,
    description: string | undefined,
  ): Promise<Fields> => {
    const what = `${at.user}/${at.name} ${at.version}`
    const known = found(await to.call('GET', versionOf(at)), what)
    if (known) return known
    const json = { version: { version: at.version, ...(description ? { description } : {}) } }
    return made(await to.call('POST', [...boxOf(at), 'versions'], { json }), what)
  },
  provider: async (
    to: CatalogClient,
    at: ImagePlace,
    fields: Fields,
  ): Promise<{ readonly known: Fields; readonly isNew: boolean }> => {
    const what = `${at.user}/${at.name} ${at.version} ${at.provider} ${at.architecture}`
    const known = found(await to.call('GET', providerOf(at)), what)
    if (known) return { known, isNew: false }
    const json = { provider: { name: at.provider, architecture: at.architecture, ...fields } }
    return {
      known: made(await to.call('POST', [...versionOf(at), 'providers'], { json }), what),
      isNew: true,
    }
  },
}

/** Sets the checksum of a provider's image. */
export const declare = async (to: CatalogClient, at: ImagePlace, fields: Fields): Promise<void> => {
  made(await to.call('PUT', providerOf(at), { json: { provider: fields } }), 'stating the checksum')
}

/** Uploads the image of a provider directly. The upload is finalized only if `check` accepts it. */
export async function sendImage(
  to: CatalogClient,
  at: ImagePlace,
  body: SentBody,
  { shown, check }: { readonly shown: Progress; readonly check?: () => void },
): Promise<void> {
  const what = `${at.user}/${at.name} ${at.version} ${at.provider}`
  const leave = made(await to.call('GET', [...providerOf(at), 'upload', 'direct']), what)
  const [uploadPath, callback] = [textOf(leave, 'upload_path'), textOf(leave, 'callback')]
  if (uploadPath === undefined || callback === undefined)
    throw new UserError(`${what}: the catalog returned no upload URL`)
  const sent = await persistently({
    method: 'PUT',
    url: uploadPath,
    headers: { 'content-type': 'application/octet-stream' },
    body,
    onSent: (bytes) => shown.report(bytes, body.size),
  })
  made(sent, `uploading ${what}`)
  check?.()
  made(await persistently({ method: 'PUT', url: to.at(callback), headers: to.headers }), `uploading ${what}`)
}

/** Whether a provider in a catalog has an image that can be downloaded. */
export async function hasImage(to: CatalogClient, provider: Fields): Promise<boolean> {
  const url = textOf(provider, 'download_url') ?? textOf(provider, 'url')
  if (url === undefined) return false
  const { status } = await persistently({ method: 'HEAD', url: to.at(url), headers: to.headers })
  if (status >= 200 && status < 400) return true
  if (status === 404 || status === 410) return false
  throw new UserError(`cannot check whether ${url} exists (${status})`)
}

/** Releases a version, unless it is released already. */
export async function release(
  to: CatalogClient,
  at: Omit<ImagePlace, 'provider' | 'architecture'>,
  version: Fields,
): Promise<void> {
  if (version['status'] === 'active') return
  made(await to.call('PUT', [...versionOf(at), 'release']), `releasing ${at.user}/${at.name} ${at.version}`)
}
