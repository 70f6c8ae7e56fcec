import { usernameProblem } from '../../catalog/boxes/names.ts'
import { baseUrlOf } from '../../http/base-url.ts'
import { parseDuration, parseTtlSeconds } from '../../kernel/duration.ts'
import { nearest } from '../../kernel/nearest.ts'
import { signInProblem } from '../../registry/check-sign-in.ts'
import { isAddressPart } from '../../registry/modules/names.ts'
import { isTokenName } from '../../registry/token-name.ts'
import { isVersion } from '../../secrets/service/core/version.ts'
import type { FlagValues } from '../command/declaration.ts'
import { amount, quotaAmounts } from '../quota-amounts.ts'
import { UserError } from '../user-error.ts'
import { type ServiceName, type serveFlags, serviceNames } from './flags.ts'
import { checkProductionFlags } from './production.ts'

/** The names that `--only` accepts. */
const partNames = [...serviceNames, 'console'] as const
type PartName = (typeof partNames)[number]

/** The words that `--words` may give aliases for. */
const wordNames = ['Secrets', 'Scheduler', 'Registry', 'Legacy', 'idp'] as const
type WordName = (typeof wordNames)[number]

/** The words that are added to those of each service; all words of the identity-provider method, the first its name. */
type ServeWords = Readonly<Record<Exclude<WordName, 'idp'>, readonly string[]>> & {
  readonly idp: readonly [string, ...string[]]
}

export interface CatalogUser {
  readonly name: string
  readonly password: string
  readonly totpSecret?: string
}

/** A token that may publish modules. */
export interface RegistryToken {
  readonly name: string
  readonly token: string
  /** All namespaces by default. */
  readonly namespaces?: readonly string[]
}

/** The identity provider of the registry. */
export interface OidcFlags {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecretFile: string
  readonly groups: Readonly<Record<string, readonly string[]>>
}

/** The validated command line; values that it does not set stay `undefined` for the configuration file. */
export interface ServeFlags {
  readonly host: string | undefined
  readonly ports: Readonly<Record<ServiceName, number | undefined>>
  /** The services to start. */
  readonly only: ReadonlySet<PartName>
  readonly catalogUrl: string | undefined
  readonly registryUrl: string | undefined
  readonly consolePort: number | undefined
  readonly data: string | undefined
  readonly blobs: string | undefined
  readonly devKeys: string | undefined
  readonly demo: boolean
  readonly load: string | undefined
  readonly config: string | undefined
  readonly words: ServeWords
  readonly acl: boolean
  readonly managementToken: string | undefined
  readonly rootToken: string | undefined
  readonly secretsVersion: string | undefined
  readonly catalogUsers: readonly CatalogUser[]
  readonly registryTokens: readonly RegistryToken[]
  readonly registryPrivate: boolean
  /** The identity provider at which people log in to the registry. */
  readonly oidc: OidcFlags | undefined
  /** The registry from which missing modules are copied. */
  readonly pullThrough: string | undefined
  readonly idpScript: string | undefined
  readonly production: boolean
  readonly behindProxy: boolean
  /** The largest body of a request, in bytes. */
  readonly maxBodyBytes: number | undefined
  /** The file of the access log, or `-` for standard error; `undefined` if there is none. */
  readonly accessLog: string | undefined
  /** How long changes are kept in the audit trails. */
  readonly keepAuditMs: number | undefined
  /** What owners and namespaces may have by default. */
  readonly quota: ReturnType<typeof quotaAmounts>
  /** The private hosts and networks to which webhooks may be sent. */
  readonly webhookAllow: readonly string[]
  /** Whether the secrets service starts uninitialised, as it always does in production. */
  readonly sealed: boolean
  readonly graceMs: number | undefined
  readonly worker: boolean
  readonly place: boolean
  readonly heartbeatTtlMs: number | undefined
  readonly collect: boolean | undefined
  readonly json: boolean
}

/** Validates the flags of `plinth serve`; an error names the flag and says what would be right. */
export function checkServeFlags(values: FlagValues<typeof serveFlags>): ServeFlags {
  checkSecretsFlags(values)
  const managementToken = values['management-token']
  if (managementToken !== undefined && !uuid.test(managementToken))
    throw new UserError(`--management-token takes a UUID, such as 6f0b0a4e-3c1d-4b0e-9c43-1f2d3e4a5b6c`, 2)
  if (values.production) checkProductionFlags(values)
  for (const flag of ['dev-keys', 'blobs'] as const)
    if (values[flag] !== undefined && (values.data ?? 'memory') === 'memory')
      throw new UserError(`--${flag} needs durable data: add --data, or leave it out`, 2)
  const catalogUsers = values['catalog-user'].map(catalogUser)
  const twice = catalogUsers.find(({ name }, at) => catalogUsers.findIndex((each) => each.name === name) < at)
  if (twice) throw new UserError(`--catalog-user ${twice.name} is given twice`, 2)
  return {
    host: values.host,
    ports: {
      secrets: port('secrets-port', values['secrets-port']),
      scheduler: port('scheduler-port', values['scheduler-port']),
      gateway: port('gateway-port', values['gateway-port']),
      catalog: port('catalog-port', values['catalog-port']),
      registry: port('registry-port', values['registry-port']),
    },
    only: only(values.only),
    catalogUrl: publicUrl('catalog-url', values['catalog-url']),
    registryUrl: publicUrl('registry-url', values['registry-url']),
    consolePort: port('console-port', values['console-port']),
    data: values.data,
    blobs: values.blobs,
    devKeys: values['dev-keys'],
    demo: values.demo,
    load: values.load,
    config: values.config,
    words: wordsOf(values.words),
    acl: values.acl || values.production || managementToken !== undefined,
    managementToken,
    rootToken: values['root-token'],
    secretsVersion: values['secrets-version'],
    catalogUsers,
    registryTokens: values['registry-token'].map(registryToken),
    registryPrivate: values['registry-private'],
    oidc: oidcFlags(values),
    pullThrough: publicUrl('pull-through', values['pull-through']),
    idpScript: values['idp-script'],
    production: values.production,
    behindProxy: values['behind-proxy'],
    maxBodyBytes: values['max-body'] === undefined ? undefined : maxBody(values['max-body']),
    accessLog: accessLog(values['access-log'] ?? (values.production ? '-' : 'none')),
    keepAuditMs: values['keep-audit'] === undefined ? undefined : keepAudit(values['keep-audit']),
    quota: quotaAmounts('--quota', values.quota, ['bytes', 'boxes', 'modules', 'versions', 'keep-versions']),
    webhookAllow: values['webhook-allow'],
    sealed: values.sealed || values.production,
    graceMs: values.grace === undefined ? undefined : grace(values.grace),
    worker: values.worker || values.demo,
    place: values.place || values.demo,
    heartbeatTtlMs: values['heartbeat-ttl'] === undefined ? undefined : heartbeatTtl(values['heartbeat-ttl']),
    collect: values['no-collect'] ? false : undefined,
    json: values.json,
  }
}

function checkSecretsFlags(values: FlagValues<typeof serveFlags>): void {
  if (values['root-token'] !== undefined && !/^[\x21-\x7e]+$/.test(values['root-token']))
    throw new UserError('--root-token takes printable ASCII characters without whitespace', 2)
  const version = values['secrets-version']
  if (version !== undefined && !isVersion(version))
    throw new UserError(`--secrets-version takes a version such as 1.13.0, not "${version}"`, 2)
  if (values.sealed && values['root-token'] !== undefined)
    throw new UserError('--sealed starts uninitialised, without a root token: leave --root-token out', 2)
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

function port(flag: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const value = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN
  if (!(value <= 65_535)) throw new UserError(`--${flag} takes a port from 0 to 65535, not "${text}"`, 2)
  return value
}

function only(list: string | undefined): ReadonlySet<PartName> {
  if (list === undefined) return new Set(partNames)
  const names = list.split(',').map((part) => {
    const name = partNames.find((known) => known === part.trim())
    if (name !== undefined) return name
    const meant = nearest(part.trim(), partNames)
    throw new UserError(
      `--only takes names from ${partNames.join(',')}, not "${part.trim()}"${meant === undefined ? '' : `; did you mean ${meant}?`}`,
      2,
    )
  })
  if (names.every((name) => name === 'console'))
    throw new UserError('--only console shows nothing: name a service as well, such as scheduler,console', 2)
  return new Set(names)
}

function publicUrl(flag: string, url: string | undefined): string | undefined {
  try {
    return baseUrlOf(url)
  } catch {
    throw new UserError(
      `--${flag} takes a scheme, a host and an optional path, such as https://boxes.example.com, not "${url}"`,
      2,
    )
  }
}

function accessLog(path: string): string | undefined {
  if (path === '') throw new UserError('--access-log takes a file, - for standard error, or none', 2)
  return path === 'none' ? undefined : path
}

function maxBody(text: string): number {
  const bytes = amount(text, true)
  if (!bytes) throw new UserError(`--max-body takes a size such as 8MiB, not "${text}"`, 2)
  return bytes
}

function keepAudit(text: string): number {
  const seconds = parseTtlSeconds(text)
  if (seconds === undefined || seconds <= 0)
    throw new UserError(`--keep-audit takes a duration such as 90d or 12h, not "${text}"`, 2)
  return seconds * 1000
}

function grace(text: string): number {
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : parseDuration(text)
  if (ms === undefined || ms < 0)
    throw new UserError(`--grace takes a duration such as 3s or 1m30s, not "${text}"`, 2)
  return Math.round(ms)
}

function heartbeatTtl(text: string): number {
  const ms = parseDuration(text)
  if (ms === undefined || ms < 1000)
    throw new UserError(
      `--heartbeat-ttl takes a duration of at least 1s, such as 30s or 1m30s, not "${text}"`,
      2,
    )
  return Math.round(ms)
}

function catalogUser(text: string): CatalogUser {
  const [name = '', password = '', totpSecret, ...rest] = text.split(':')
  if (name === '' || password === '' || rest.length > 0)
    throw new UserError('--catalog-user takes NAME:PASSWORD or NAME:PASSWORD:TOTPSECRET', 2)
  const misnamed = usernameProblem(name)
  if (misnamed) throw new UserError(`--catalog-user ${name}: ${misnamed.refusal.message}`, 2)
  if (totpSecret !== undefined && !/^[A-Z2-7]{16,}=*$/i.test(totpSecret))
    throw new UserError(`--catalog-user ${name}: the TOTP secret must be at least 16 characters of base32`, 2)
  return { name, password, ...(totpSecret === undefined ? {} : { totpSecret }) }
}

/** Reads NAME:TOKEN:NAMESPACE,…; no error message contains the token. */
function registryToken(text: string): RegistryToken {
  const [name = '', token = '', namespaces, ...rest] = text.split(':')
  if (!isTokenName(name) || !/^[\x21-\x7e]{8,}$/.test(token) || rest.length > 0)
    throw new UserError(
      '--registry-token takes NAME:TOKEN or NAME:TOKEN:NAMESPACE,… with a token of 8 characters or more',
      2,
    )
  if (namespaces === undefined) return { name, token }
  const list = namespaces.split(',')
  const wrong = list.find((namespace) => !isAddressPart('namespace', namespace))
  if (wrong !== undefined)
    throw new UserError(`--registry-token ${name}: "${wrong}" is not a valid namespace`, 2)
  return { name, token, namespaces: list }
}

function oidcFlags(values: FlagValues<typeof serveFlags>): OidcFlags | undefined {
  const names = ['oidc-issuer', 'oidc-client-id', 'oidc-client-secret-file'] as const
  const [issuer, clientId, clientSecretFile] = names.map((name) => values[name])
  const given = names.find((name) => values[name] !== undefined)
  if (given === undefined && values['oidc-groups'].length === 0) return undefined
  if (issuer === undefined || clientId === undefined || clientSecretFile === undefined) {
    const missing = names.find((name) => values[name] === undefined)
    throw new UserError(`--${given ?? 'oidc-groups'} needs --${missing}, too`, 2)
  }
  const groups: Record<string, readonly string[]> = Object.create(null)
  for (const text of values['oidc-groups']) {
    // Names of groups can contain the sign, namespaces cannot.
    const at = text.lastIndexOf('=')
    if (at < 1)
      throw new UserError(`--oidc-groups takes GROUP=NAMESPACE,…, GROUP=* or GROUP=, not "${text}"`, 2)
    groups[text.slice(0, at)] = text
      .slice(at + 1)
      .split(',')
      .filter((namespace) => namespace !== '')
  }
  const problem = signInProblem({ issuer, clientId, clientSecret: 'in the file', groups })
  if (problem !== undefined) throw new UserError(`--oidc-${oidcFlagOf(problem)}`, 2)
  return { issuer, clientId, clientSecretFile, groups }
}

/** The problem of an option as that of its flag. */
const oidcFlagOf = (problem: string): string =>
  problem.replace(/^clientId/, 'client-id').replace(/^groups\.(.*?): /, 'groups $1: ')

function wordsOf(pairs: readonly string[]): ServeWords {
  const all = {
    Secrets: [] as string[],
    Scheduler: [] as string[],
    Registry: [] as string[],
    Legacy: [] as string[],
    idp: ['idp'] as [string, ...string[]],
  }
  for (const pair of pairs) {
    const [word = '', alias = '', ...rest] = pair.split('=')
    const name = wordNames.find((known) => known === word)
    if (name === undefined || rest.length > 0 || !/^[A-Za-z][A-Za-z0-9]*$/.test(alias))
      throw new UserError(
        `--words takes WORD=ALIAS with WORD one of ${wordNames.join(', ')}, not "${pair}"`,
        2,
      )
    all[name].push(alias)
  }
  return all
}
