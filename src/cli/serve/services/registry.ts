import { toHex } from '../../../crypto/encoding.ts'
import { nodeCrypto } from '../../../crypto/index.ts'
import { createRegistry, type Publisher, type Registry } from '../../../registry/index.ts'
import type { RegistryToken } from '../flags.ts'
import { reporter, type Setup, type SweptService } from './opened-service.ts'

export interface OpenedRegistry extends SweptService {
  readonly service: Registry
  /** A token that may publish anything, generated for this run of the server; none in production. */
  readonly token: string | null
}

export async function openRegistry({
  settings,
  data,
  log,
  observer,
  consoleUrl,
}: Setup): Promise<OpenedRegistry> {
  const crypto = nodeCrypto()
  const token = settings.production ? null : toHex(crypto.randomBytes(24))
  const service = createRegistry({
    consoleUrl,
    store: await data.store('registry'),
    blobs: data.archives,
    words: settings.words.Registry,
    baseUrl: settings.registryUrl,
    keepAuditMs: settings.keepAuditMs,
    authenticate: settings.registryPrivate ? 'tokens' : undefined,
    publishers: publishersOf([
      ...(token === null ? [] : [{ name: 'dev', token }]),
      ...settings.registryTokens,
    ]),
    onError: reporter('registry', log),
    onRequest: observer('registry'),
  })
  const sweep = async () => service.sweep({ abandoned: !(await data.isShared()) })
  return { service, token, sweep, handler: () => service.fetch, drain: () => {}, close: service.close }
}

/** Tokens of the command line by their digests, so that the time of a look-up reveals nothing about them. */
function publishersOf(tokens: readonly RegistryToken[]): (token: string) => Publisher | undefined {
  const digestOf = (token: string) => toHex(nodeCrypto().sha256(token))
  const known = new Map(
    tokens.map(({ name, token, namespaces }) => {
      // A token without namespaces is the first administrator: there is no other yet.
      const publisher = { name, namespaces, administrator: namespaces === undefined }
      return [digestOf(token), publisher] as const
    }),
  )
  return (token) => known.get(digestOf(token))
}
