import { type Catalog, type CatalogGuest, createCatalog } from '../../../catalog/index.ts'
import { toHex } from '../../../crypto/encoding.ts'
import { nodeCrypto } from '../../../crypto/index.ts'
import { webhookSender } from '../../../http/node/webhook-sender.ts'
import type { Publisher } from '../../../registry/index.ts'
import { UserError } from '../../user-error.ts'
import type { CatalogUser } from '../check-flags.ts'
import { reporter, type Setup, type SweptService } from './opened-service.ts'

export interface OpenedCatalog extends SweptService {
  readonly service: Catalog
  /** Creates the users of the command line, and a token for each. */
  readonly makeUsers: () => Promise<{
    readonly tokens: Readonly<Record<string, string>>
    readonly notes: readonly string[]
  }>
}

export async function openCatalog({
  settings,
  data,
  log,
  observer,
  consoleUrl,
  signedIn,
}: Setup & {
  /** The person of a token of the registry, if people sign in there. */
  readonly signedIn?: ((token: string) => Promise<Publisher | undefined>) | undefined
}): Promise<OpenedCatalog> {
  const service = createCatalog({
    consoleUrl,
    store: await data.store('catalog'),
    blobs: data.blobs,
    words: settings.words.Legacy,
    baseUrl: settings.catalogUrl,
    keepAuditMs: settings.keepAudit,
    webhooks: webhookSender({ allow: settings.webhookAllow }),
    limits: {
      bytesPerOwner: settings.quota.bytes ?? undefined,
      boxesPerOwner: settings.quota.boxes ?? undefined,
      versionsPerOwner: settings.quota.versions ?? undefined,
    },
    keepVersions: settings.quota['keep-versions'] ?? undefined,
    trust: settings.trust.length > 0 ? settings.trust : undefined,
    guests: signedIn && (async (token) => guestOf(await signedIn(token))),
    onError: reporter('catalog', log),
    onRequest: observer('catalog'),
    // No message service is configured: the operator reads the code and passes it on.
    deliverCode: async ({ username, code }) => {
      log.info(`catalog: two-factor code for ${username}: ${code}`)
      return { obfuscatedDestination: 'the log of the server' }
    },
  })
  return {
    service,
    makeUsers: () =>
      settings.production
        ? makeAdministrators(service, settings.catalogUser)
        : makeUsers(service, settings.catalogUser),
    sweep: async () => service.sweep({ abandoned: !(await data.isShared()) }),
    handler: () => service.fetch,
    drain: () => {},
    close: service.close,
  }
}

/** Who signed in at the registry reads all boxes, as all modules, and publishes those of the accounts that are its namespaces there. */
const guestOf = (publisher: Publisher | undefined): CatalogGuest | undefined => {
  const { name = '', namespaces, signedIn = false } = publisher ?? {}
  if (!signedIn) return undefined
  return { name, role: 'publisher', owners: namespaces, readsAll: true }
}

/** In development the user `admin` is an administrator, named or not. */
async function makeUsers(service: Catalog, given: readonly CatalogUser[]) {
  const tokens: Record<string, string> = Object.create(null)
  const notes: string[] = []
  for (const { name, password, totpSecret } of given) {
    const made = await service.putUser({
      username: name,
      password,
      totpSecret: totpSecret ?? null,
      ...(name === 'admin' && { administrator: true }),
    })
    if (!made.ok) throw new UserError(`--catalog-user ${name}: ${made.refusal.message}`)
    tokens[name] = await tokenOf(service, name)
  }
  if (given.length === 0) {
    // If there is an admin already, the known password stays.
    const kept = await newToken(service, 'admin')
    const password = kept.ok ? undefined : await makeAdmin(service)
    if (password !== undefined) notes.push(`catalog user admin has the password ${password}`)
    tokens['admin'] = kept.ok ? kept.value.token : await tokenOf(service, 'admin')
  }
  return { tokens, notes }
}

/**
 * In production the users of the command line are created once, as administrators; existing ones stay unchanged,
 * including their passwords. Only a new user gets a token.
 */
async function makeAdministrators(service: Catalog, given: readonly CatalogUser[]) {
  const tokens: Record<string, string> = Object.create(null)
  for (const { name, password, totpSecret } of given) {
    if ((await service.readAccount(name)).ok) continue
    const made = await service.putUser({
      username: name,
      password,
      totpSecret: totpSecret ?? null,
      administrator: true,
      createOnly: true,
    })
    // Another server that starts at this moment was first.
    if (!made.ok && made.refusal.code === 'account_taken') continue
    if (!made.ok) throw new UserError(`--catalog-user ${name}: ${made.refusal.message}`)
    tokens[name] = await tokenOf(service, name)
  }
  return { tokens, notes: [] }
}

/** Creates the user of a catalog without users; returns the password, unless another server was first. */
async function makeAdmin(service: Catalog): Promise<string | undefined> {
  const password = toHex(nodeCrypto().randomBytes(12))
  const made = await service.putUser({ username: 'admin', password, administrator: true, createOnly: true })
  if (!made.ok && made.refusal.code === 'account_taken') return undefined
  if (!made.ok) throw new UserError(`cannot make the catalog's user admin: ${made.refusal.message}`)
  return password
}

const newToken = (service: Catalog, username: string) =>
  service.createToken(username, { description: 'plinth serve' })

async function tokenOf(service: Catalog, username: string): Promise<string> {
  const made = await newToken(service, username)
  if (!made.ok)
    throw new UserError(`cannot make a token for the catalog's user ${username}: ${made.refusal.message}`)
  return made.value.token
}
