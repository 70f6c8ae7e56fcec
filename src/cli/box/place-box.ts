import type { Progress } from '../progress.ts'
import type { SentBody } from '../send.ts'
import { UserError } from '../user-error.ts'
import { type CatalogClient, Declined, type Fields, found, listOf, made, textOf } from './catalog-client.ts'

/** The place of an image. */
export interface ImagePlace {
  readonly user: string
  readonly name: string
  readonly version: string
  readonly provider: string
  readonly architecture: string
}

const boxOf = ({ user, name }: Pick<ImagePlace, 'user' | 'name'>) => ['box', user, name]
const versionOf = (at: VersionPlace) => [...boxOf(at), 'version', at.version]
const providerOf = (at: ImagePlace) => [...versionOf(at), 'provider', at.provider, at.architecture]

export type VersionPlace = Omit<ImagePlace, 'provider' | 'architecture'>

interface Ensured {
  readonly known: Fields
  readonly isNew: boolean
}

/** Reads an object, or creates it. Another client may have created it meanwhile: what is taken is read again. */
async function ensured(
  read: () => Promise<Fields | undefined>,
  create: () => Promise<Fields>,
): Promise<Ensured> {
  const known = await read()
  if (known) return { known, isNew: false }
  try {
    return { known: await create(), isNew: true }
  } catch (error) {
    const taken = error instanceof Declined ? await read() : undefined
    if (taken === undefined) throw error
    return { known: taken, isNew: false }
  }
}

/** Creates what is missing in a catalog; existing objects stay unchanged. */
export const ensure = {
  /** The owner of boxes: an organization without members, which can still become a user. */
  owner: async (to: CatalogClient, user: string): Promise<void> => {
    if (await hasOwner(to, user)) return
    const organization = await to.administer('POST', ['organizations'], {
      json: { username: user, members: [] },
    })
    if (found(organization, `making the organization ${user}`) !== undefined) return
    // A catalog of another make.
    made(await to.call('POST', ['users'], { json: { user: { username: user } } }), `making the user ${user}`)
  },
  box: async (to: CatalogClient, at: Pick<ImagePlace, 'user' | 'name'>, fields: Fields): Promise<Fields> => {
    const what = `${at.user}/${at.name}`
    const json = { box: { username: at.user, name: at.name, ...fields } }
    const { known } = await ensured(
      async () => found(await to.call('GET', boxOf(at)), what),
      async () => {
        const answer = await to.call('POST', ['boxes'], { json })
        if (answer.status === 404 && !(await hasOwner(to, at.user)))
          throw new UserError(
            `${what}: there is no user or organization ${at.user}; ask an administrator to create it with \`plinth box organization create ${at.user}\``,
          )
        return made(answer, what)
      },
    )
    return known
  },
  version: async (to: CatalogClient, at: VersionPlace, description: string | undefined): Promise<Fields> => {
    const json = { version: { version: at.version, ...(description ? { description } : {}) } }
    const { known } = await ensured(
      () => readVersion(to, at),
      async () => made(await to.call('POST', [...boxOf(at), 'versions'], { json }), nameOfVersion(at)),
    )
    return known
  },
  provider: (to: CatalogClient, at: ImagePlace, fields: Fields): Promise<Ensured> => {
    const json = { provider: { name: at.provider, architecture: at.architecture, ...fields } }
    return ensured(
      () => readProvider(to, at),
      async () => made(await to.call('POST', [...versionOf(at), 'providers'], { json }), nameOf(at)),
    )
  },
}

const hasOwner = async (to: CatalogClient, user: string): Promise<boolean> =>
  found(await to.call('GET', ['user', user], { query: '?limit=1' }), user) !== undefined

const nameOfVersion = ({ user, name, version }: VersionPlace): string => `${user}/${name} ${version}`

export const nameOf = (at: ImagePlace): string => `${nameOfVersion(at)} ${at.provider} ${at.architecture}`

export const readVersion = async (to: CatalogClient, at: VersionPlace): Promise<Fields | undefined> =>
  found(await to.call('GET', versionOf(at)), nameOfVersion(at))

export const readProvider = async (to: CatalogClient, at: ImagePlace): Promise<Fields | undefined> =>
  found(await to.call('GET', providerOf(at)), nameOf(at))

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
  const sent = await to.send({
    method: 'PUT',
    url: uploadPath,
    headers: { 'content-type': 'application/octet-stream' },
    body,
    onSent: (bytes) => shown.report(bytes, body.size),
  })
  made(sent, `uploading ${what}`)
  check?.()
  made(
    await to.send({ method: 'PUT', url: to.at(callback), headers: await to.headers() }),
    `uploading ${what}`,
  )
}

/** Whether a provider in a catalog has an image that can be downloaded. */
export async function hasImage(to: CatalogClient, provider: Fields): Promise<boolean> {
  const url = textOf(provider, 'download_url') ?? textOf(provider, 'url')
  if (url === undefined) return false
  const { status } = await to.send({ method: 'HEAD', url: to.at(url), headers: await to.headers() })
  if (status >= 200 && status < 400) return true
  if (status === 404 || status === 410) return false
  throw new UserError(`cannot check whether ${url} exists (${status})`)
}

/** Releases a version; returns whether it was released already, perhaps by another client meanwhile. */
export async function release(to: CatalogClient, at: VersionPlace, version?: Fields): Promise<boolean> {
  const isActive = (known: Fields | undefined) => known?.['status'] === 'active'
  if (isActive(version)) return true
  try {
    made(await to.call('PUT', [...versionOf(at), 'release']), `releasing ${nameOfVersion(at)}`)
    return false
  } catch (error) {
    if (error instanceof Declined && isActive(await readVersion(to, at))) return true
    throw error
  }
}

/** The number of images that a version has. */
export async function countImages(to: CatalogClient, at: VersionPlace): Promise<number> {
  let count = 0
  for (const provider of listOf((await readVersion(to, at)) ?? {}, 'providers'))
    if (await hasImage(to, provider)) count += 1
  return count
}
