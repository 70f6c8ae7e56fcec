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
import { type serveFlags, serviceNames } from './flags.ts'
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

/** Reads the text of one flag; an error names the flag and says what would be right. */
type Reader = (text: string, flag: string) => unknown
/** Reads the texts of a flag that may be repeated. */
type ListReader = (texts: readonly string[], flag: string) => unknown

/** What the flags mean; a flag without a reader keeps its value. Durations are milliseconds, sizes bytes. */
const readers = {
  'secrets-port': port,
  'scheduler-port': port,
  'gateway-port': port,
  'catalog-port': port,
  'registry-port': port,
  'console-port': port,
  only,
  'catalog-url': publicUrl,
  'registry-url': publicUrl,
  'console-url': publicOrigin,
  'pull-through': publicUrl,
  words: wordsOf,
  'management-token': matching(
    /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i,
    'a UUID, such as 6f0b0a4e-3c1d-4b0e-9c43-1f2d3e4a5b6c',
  ),
  'root-token': matching(/^[\x21-\x7e]+$/, 'printable ASCII characters without whitespace'),
  'secrets-version': secretsVersion,
  'catalog-user': catalogUsers,
  'registry-token': (texts) => texts.map(registryToken),
  'max-body': maxBody,
  'access-log': accessLog,
  'keep-audit': keepAudit,
  quota: (texts, flag) =>
    quotaAmounts(`--${flag}`, texts, ['bytes', 'boxes', 'modules', 'versions', 'keep-versions']),
  grace,
  'heartbeat-ttl': heartbeatTtl,
} satisfies {
  readonly [Name in keyof Given]?: Given[Name] extends readonly string[] ? ListReader : Reader
}

type Given = FlagValues<typeof serveFlags>
type CamelCase<Name extends string> = Name extends `${infer First}-${infer Rest}`
  ? `${First}${Capitalize<CamelCase<Rest>>}`
  : Name
type ReadValue<Name extends keyof Given> = Name extends keyof typeof readers
  ? ReturnType<(typeof readers)[Name]> | Extract<Given[Name], undefined>
  : Given[Name]
/** The value of each flag, under its name in camel case. */
type ReadFlags = { readonly [Name in keyof Given as CamelCase<Name>]: ReadValue<Name> }

const camelCase = (name: string): string =>
  name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())

function readFlags(values: Given): ReadFlags {
  const read = (name: string, value: unknown) => {
    const reader: ((given: never, flag: string) => unknown) | undefined = Object.hasOwn(readers, name)
      ? readers[name as keyof typeof readers]
      : undefined
    return reader === undefined || value === undefined ? value : reader(value as never, name)
  }
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [camelCase(name), read(name, value)]),
  ) as ReadFlags
}

/** The validated command line; values that it does not set stay `undefined` for the configuration file. */
export type ServeFlags = ReturnType<typeof checkServeFlags>

/** Validates the flags of `plinth serve`; an error names the flag and says what would be right. */
export function checkServeFlags(values: Given) {
  const flags = readFlags(values)
  const { production, demo } = flags
  if (flags.sealed && flags.rootToken !== undefined)
    throw new UserError('--sealed starts uninitialised, without a root token: leave --root-token out', 2)
  if (production) checkProductionFlags(values)
  for (const flag of ['dev-keys', 'blobs'] as const)
    if (values[flag] !== undefined && (values.data ?? 'memory') === 'memory')
      throw new UserError(`--${flag} needs durable data: add --data, or leave it out`, 2)
  return {
    ...flags,
    only: flags.only ?? new Set(partNames),
    acl: flags.acl || production || flags.managementToken !== undefined,
    /** The identity provider at which people sign in to the registry. */
    oidc: oidcFlags(values),
    accessLog: values['access-log'] === undefined && production ? '-' : flags.accessLog,
    // In production the secrets service always starts uninitialised.
    sealed: flags.sealed || production,
    worker: flags.worker || demo,
    place: flags.place || demo,
    collect: flags.noCollect ? false : undefined,
  }
}

/** A reader of texts that match a pattern. */
function matching(pattern: RegExp, takes: string) {
  return (text: string, flag: string): string => {
    if (!pattern.test(text)) throw new UserError(`--${flag} takes ${takes}`, 2)
    return text
  }
}

function secretsVersion(text: string): string {
  if (!isVersion(text))
    throw new UserError(`--secrets-version takes a version such as 1.13.0, not "${text}"`, 2)
  return text
}

function port(text: string, flag: string): number {
  const value = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN
  if (!(value <= 65_535)) throw new UserError(`--${flag} takes a port from 0 to 65535, not "${text}"`, 2)
  return value
}

function only(list: string): ReadonlySet<PartName> {
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

function publicUrl(url: string, flag: string): string | undefined {
  try {
    return baseUrlOf(url)
  } catch {
    throw new UserError(
      `--${flag} takes a scheme, a host and an optional path, such as https://boxes.example.com, not "${url}"`,
      2,
    )
  }
}

function publicOrigin(text: string, flag: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.href !== `${url.origin}/`)
    throw new UserError(`--${flag} takes only a scheme and a host, such as https://console.example.com`, 2)
  return url.origin
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

function catalogUsers(texts: readonly string[]): readonly CatalogUser[] {
  const users = texts.map(catalogUser)
  const twice = users.find(({ name }, at) => users.findIndex((each) => each.name === name) < at)
  if (twice) throw new UserError(`--catalog-user ${twice.name} is given twice`, 2)
  return users
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

function oidcFlags(values: Given): OidcFlags | undefined {
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
