import type { Catalog, TokenAccess } from '../../../catalog/index.ts'
import { toHex } from '../../../crypto/encoding.ts'
import { nodeCrypto } from '../../../crypto/index.ts'
import { webhookSender } from '../../../http/node/webhook-sender.ts'
import { createRegistry, type Publisher, type Registry } from '../../../registry/index.ts'
import { fileText } from '../../file-text.ts'
import { UserError } from '../../user-error.ts'
import type { RegistryToken } from '../check-flags.ts'
import { reporter, type Setup, type SweptService } from './opened-service.ts'
import { upstreamAt } from './upstream.ts'

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
  accounts,
}: Setup & {
  /** The accounts of the catalog, if this server has one: their tokens are valid here, too. */
  readonly accounts: Pick<Catalog, 'accessOf'> | undefined
}): Promise<OpenedRegistry> {
  const crypto = nodeCrypto()
  const { oidc } = settings
  const token = settings.production ? null : toHex(crypto.randomBytes(24))
  const given = publishersOf([...(token === null ? [] : [{ name: 'dev', token }]), ...settings.registryToken])
  const service = createRegistry({
    consoleUrl,
    store: await data.store('registry'),
    blobs: data.archives,
    upstream:
      settings.pullThrough === undefined
        ? undefined
        : upstreamAt(settings.pullThrough, process.env['PULL_THROUGH_TOKEN']?.trim()),
    words: settings.words.Registry,
    baseUrl: settings.registryUrl,
    keepAuditMs: settings.keepAudit,
    webhooks: webhookSender({ allow: settings.webhookAllow }),
    limits: {
      bytesPerNamespace: settings.quota.bytes ?? undefined,
      modulesPerNamespace: settings.quota.modules ?? undefined,
      versionsPerNamespace: settings.quota.versions ?? undefined,
    },
    keepVersions: settings.quota['keep-versions'] ?? undefined,
    authenticate: settings.registryPrivate ? 'tokens' : undefined,
    oidc: oidc && {
      issuer: oidc.issuer,
      clientId: oidc.clientId,
      clientSecret: await clientSecretIn(oidc.clientSecretFile),
      groups: oidc.groups,
    },
    trust: settings.trust.length > 0 ? settings.trust : undefined,
    publishers: async (token) => given(token) ?? (await accounts?.accessOf(token).then(publisherOf)),
    onError: reporter('registry', log),
    onRequest: observer('registry'),
  })
  const sweep = async () => service.sweep({ abandoned: !(await data.isShared()) })
  return { service, token, sweep, handler: () => service.fetch, drain: () => {}, close: service.close }
}

/** The secret of a client, without the line break at the end of its file. */
async function clientSecretIn(file: string): Promise<string> {
  const secret = (await fileText(file, 'the secret of the client', '--oidc-client-secret-file: ')).trim()
  if (secret === '') throw new UserError(`--oidc-client-secret-file: ${file} is empty`)
  return secret
}

/** The namespaces of a user of the catalog are the accounts on which it has a role. */
const publisherOf = (access: TokenAccess | undefined): Publisher | undefined =>
  access && {
    name: access.username,
    administrator: access.administrator,
    namespaces: access.publishes,
    reads: access.reads,
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
