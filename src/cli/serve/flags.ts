import { parseDuration } from '../../kernel/index.ts'
import { type Flags, flagRows, readFlags } from '../read-flags.ts'
import { UserError } from '../user-error.ts'

/** Every flag of `plinth serve`, in the order of the help text. */
export const serveFlags = {
  host: { type: 'string', value: 'ADDRESS', about: 'address to listen on (127.0.0.1)' },
  'secrets-port': {
    type: 'string',
    value: 'PORT',
    about: 'port of the secrets service (8200; 0 = any free one)',
  },
  'scheduler-port': { type: 'string', value: 'PORT', about: 'port of the job scheduler (4646)' },
  'gateway-port': { type: 'string', value: 'PORT', about: 'port of the gateway health endpoint (9203)' },
  'catalog-port': { type: 'string', value: 'PORT', about: 'port of the box catalog (8300)' },
  'registry-port': { type: 'string', value: 'PORT', about: 'port of the module registry (8400)' },
  data: { type: 'string', value: 'WHERE', about: 'memory (the default), a directory, or postgres://…' },
  blobs: {
    type: 'string',
    value: 'DIRECTORY',
    about: 'where uploads are kept (blobs in the data directory; .plinth/blobs for postgres://…)',
  },
  'dev-keys': { type: 'string', value: 'FILE', about: 'where dev mode keeps unseal keys and root token' },
  demo: { type: 'boolean', about: 'start with built-in sample data; implies --place' },
  load: { type: 'string', value: 'FILE', about: 'start with the records of a JSON file' },
  config: { type: 'string', value: 'FILE', about: 'read listeners and settings from an HCL or JSON file' },
  words: {
    type: 'string',
    multiple: true,
    value: 'WORD=ALIAS',
    about: 'accept another product word (repeatable)',
  },
  acl: { type: 'boolean', about: 'enforce access control on the scheduler' },
  'management-token': {
    type: 'string',
    value: 'UUID',
    about: "the scheduler's management token; implies --acl",
  },
  'root-token': {
    type: 'string',
    value: 'TOKEN',
    about: 'the root token of the secrets service in dev mode',
  },
  'catalog-user': {
    type: 'string',
    multiple: true,
    value: 'NAME:PASSWORD[:TOTPSECRET]',
    about: 'a user of the catalog (repeatable; admin with a random password)',
  },
  'idp-script': {
    type: 'string',
    value: 'FILE',
    about: 'scripted identity provider: users, groups, factors',
  },
  sealed: { type: 'boolean', about: 'start the secrets service uninitialised' },
  grace: {
    type: 'string',
    value: 'DURATION',
    about: 'report unhealthy this long before shutting down, as in 3s (0s)',
  },
  worker: { type: 'boolean', about: 'report a connected worker on the health endpoint' },
  place: { type: 'boolean', about: 'place registered jobs on nodes' },
  collect: {
    type: 'boolean',
    about: 'remove dead jobs, down nodes and the like from the scheduler after hours',
  },
  json: { type: 'boolean', about: 'print one line of JSON when ready, and nothing else, on stdout' },
  help: { type: 'boolean', short: 'h', about: 'show this' },
} as const satisfies Flags

/** The services, in the order in which they start. */
export const serviceNames = ['secrets', 'scheduler', 'gateway', 'catalog', 'registry'] as const
export type ServiceName = (typeof serviceNames)[number]

/** The words that `--words` may give aliases for. */
const wordNames = ['Secrets', 'Scheduler', 'Registry', 'Legacy', 'idp'] as const
export type WordName = (typeof wordNames)[number]

export interface CatalogUser {
  readonly name: string
  readonly password: string
  readonly totpSecret?: string
}

/** What the command line asks for, checked; what it leaves open stays undefined for the configuration file. */
export interface ServeFlags {
  readonly host: string | undefined
  readonly ports: Readonly<Record<ServiceName, number | undefined>>
  readonly data: string | undefined
  readonly blobs: string | undefined
  readonly devKeys: string | undefined
  readonly demo: boolean
  readonly load: string | undefined
  readonly config: string | undefined
  readonly words: Readonly<Record<WordName, readonly [string, ...string[]]>>
  readonly acl: boolean
  readonly managementToken: string | undefined
  readonly rootToken: string | undefined
  readonly catalogUsers: readonly CatalogUser[]
  readonly idpScript: string | undefined
  readonly sealed: boolean
  readonly graceMs: number | undefined
  readonly worker: boolean
  readonly place: boolean
  readonly collect: boolean
  readonly json: boolean
  readonly help: boolean
}

/** Reads the arguments of `plinth serve`; a mistake names the flag and what would be right. */
export function parseServeFlags(args: readonly string[]): ServeFlags {
  const { values } = readFlags('plinth serve', serveFlags, args)
  const managementToken = values['management-token']
  if (managementToken !== undefined && !uuid.test(managementToken))
    throw new UserError(`--management-token takes a UUID, as in 6f0b0a4e-3c1d-4b0e-9c43-1f2d3e4a5b6c`, 2)
  if (values['root-token'] !== undefined && !/^[\x21-\x7e]+$/.test(values['root-token']))
    throw new UserError('--root-token takes printable ASCII text without blanks', 2)
  if (values.sealed && values['root-token'] !== undefined)
    throw new UserError('--sealed starts uninitialised and has no root token yet: leave --root-token out', 2)
  for (const flag of ['dev-keys', 'blobs'] as const)
    if (values[flag] !== undefined && (values.data ?? 'memory') === 'memory')
      throw new UserError(
        `--${flag} is for data that outlives the server: give --data too, or leave it out`,
        2,
      )
  const catalogUsers = (values['catalog-user'] ?? []).map(catalogUser)
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
    data: values.data,
    blobs: values.blobs,
    devKeys: values['dev-keys'],
    demo: values.demo ?? false,
    load: values.load,
    config: values.config,
    words: wordsOf(values.words ?? []),
    acl: (values.acl ?? false) || managementToken !== undefined,
    managementToken,
    rootToken: values['root-token'],
    catalogUsers,
    idpScript: values['idp-script'],
    sealed: values.sealed ?? false,
    graceMs: values.grace === undefined ? undefined : grace(values.grace),
    worker: values.worker ?? false,
    place: (values.place ?? false) || (values.demo ?? false),
    collect: values.collect ?? false,
    json: values.json ?? false,
    help: values.help ?? false,
  }
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

function port(flag: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const value = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN
  if (!(value <= 65_535)) throw new UserError(`--${flag} takes a port from 0 to 65535, not "${text}"`, 2)
  return value
}

function grace(text: string): number {
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : parseDuration(text)
  if (ms === undefined || ms < 0)
    throw new UserError(`--grace takes a duration such as 3s or 1m30s, not "${text}"`, 2)
  return ms
}

function catalogUser(text: string): CatalogUser {
  const [name = '', password = '', totpSecret, ...rest] = text.split(':')
  if (name === '' || password === '' || rest.length > 0)
    throw new UserError('--catalog-user takes NAME:PASSWORD or NAME:PASSWORD:TOTPSECRET', 2)
  if (totpSecret !== undefined && !/^[A-Z2-7]{16,}=*$/i.test(totpSecret))
    throw new UserError(`--catalog-user ${name}: the TOTP secret must be at least 16 characters of base32`, 2)
  return { name, password, ...(totpSecret === undefined ? {} : { totpSecret }) }
}

function wordsOf(pairs: readonly string[]): ServeFlags['words'] {
  const all: Record<WordName, [string, ...string[]]> = {
    Secrets: ['Secrets'],
    Scheduler: ['Scheduler'],
    Registry: ['Registry'],
    Legacy: ['Legacy'],
    idp: ['idp'],
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

/** The help text of `plinth serve`. */
export const serveHelp = (): string =>
  `plinth serve [flags]\n\nServes the five services in one process (development mode).\n\n${flagRows(serveFlags)}\n\nsite/development-server.md in the package shows the files of --load, --config and --idp-script.\n`
