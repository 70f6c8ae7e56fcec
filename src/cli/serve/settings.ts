import type { ForwardedForRules } from '../../http/index.ts'
import { systemEnv } from '../../kernel/index.ts'
import type { ServeFlags } from './check-flags.ts'
import { defaultPorts, type ListenerConfig, type Purpose, readConfig, type ServerConfig } from './config.ts'
import { type ServiceName, serviceNames } from './flags.ts'

/** One address to listen on, and its purpose. */
export interface ListenerSettings extends ListenerConfig {
  /** Its service; undefined for the `api` listener of a controller. */
  readonly service: ServiceName | undefined
}

/** The settings of a start: flags and configuration file combined. */
export interface Settings
  extends Omit<ServeFlags, 'host' | `${ServiceName | 'console'}Port` | 'grace' | 'worker'> {
  /** At least one for each service, in the order of the services. */
  readonly listeners: readonly ListenerSettings[]
  /** The address of the console; without a given port the default one, or any free one if that is taken. */
  readonly console: { readonly host: string; readonly port: number | undefined }
  readonly graceMs: number
  readonly worker: boolean
  /** The audit devices of the secrets service. */
  readonly audit: ServerConfig['audit']
  /** The key of an unattended unseal of the secrets service. */
  readonly staticSeal: ServerConfig['staticSeal']
  /** The declarations of the configuration file for the secrets service. */
  readonly secrets: ServerConfig['secrets']
  /** Which tokens of CI systems may publish boxes and modules. */
  readonly trust: ServerConfig['trust']
  /** A message for each setting of the configuration file that a flag overrides. */
  readonly warnings: readonly string[]
}

const serviceOf: Readonly<Record<Purpose, ServiceName | undefined>> = {
  secrets: 'secrets',
  scheduler: 'scheduler',
  ops: 'gateway',
  catalog: 'catalog',
  registry: 'registry',
  api: undefined,
}

const purposeOf: Readonly<Record<ServiceName, Purpose>> = {
  secrets: 'secrets',
  scheduler: 'scheduler',
  gateway: 'ops',
  catalog: 'catalog',
  registry: 'registry',
}

const plain = {
  tls: undefined,
  maxRequestBytes: undefined,
  requireRequestHeader: false,
  customResponseHeaders: undefined,
  cors: undefined,
  forwardedFor: undefined,
} as const

/**
 * The proxies of `--behind-proxy`: those on this machine and in private networks. A client beyond them is what it is, and
 * so is one that asks without a proxy, such as a health check.
 */
export const nearbyProxies: ForwardedForRules = {
  authorizedAddrs: [
    ...['127.0.0.0/8', '10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '169.254.0.0/16', '100.64.0.0/10'],
    ...['::1/128', 'fc00::/7', 'fe80::/10'],
  ],
  rejectNotPresent: false,
  rejectNotAuthorized: false,
}

/** Reads the configuration file, if any, and overrides it by the flags. */
export async function settle(flags: ServeFlags): Promise<Settings> {
  const config: ServerConfig =
    flags.config === undefined
      ? {
          listeners: [],
          graceMs: undefined,
          worker: false,
          collect: undefined,
          audit: [],
          staticSeal: undefined,
          secrets: {},
          trust: [],
        }
      : await readConfig(flags.config)
  const listeners: ListenerSettings[] = []
  for (const service of serviceNames) {
    if (!flags.only.has(service)) continue
    const purpose = purposeOf[service]
    const configured = config.listeners.filter((listener) => listener.purpose === purpose)
    const [first = { ...plain, purpose, host: '127.0.0.1', port: defaultPorts[purpose] }, ...rest] =
      configured
    for (const [index, listener] of [first, ...rest].entries())
      listeners.push({
        ...listener,
        service,
        maxRequestBytes: listener.maxRequestBytes ?? flags.maxBody,
        forwardedFor: listener.forwardedFor ?? (flags.behindProxy ? nearbyProxies : undefined),
        host: flags.host ?? listener.host,
        port: index === 0 ? (flags[`${service}Port`] ?? listener.port) : listener.port,
      })
  }
  for (const listener of config.listeners)
    if (serviceOf[listener.purpose] === undefined)
      listeners.push({ ...listener, service: undefined, host: flags.host ?? listener.host })
  return {
    ...flags,
    listeners,
    console: { host: flags.host ?? '127.0.0.1', port: flags.consolePort },
    // With access control there is always a management token.
    // In production the first call of /v1/acl/bootstrap gets it.
    managementToken:
      flags.managementToken ?? (flags.acl && !flags.production ? systemEnv().newId('token') : undefined),
    graceMs: flags.grace ?? config.graceMs ?? 0,
    worker: flags.worker || config.worker,
    collect: flags.collect ?? config.collect,
    audit: config.audit,
    staticSeal: config.staticSeal,
    secrets: config.secrets,
    trust: config.trust,
    warnings: [...staticKey(config), ...overridden(flags, config), ...unreachableLinks(flags, listeners)],
  }
}

/** Warns of what a static key means. */
const staticKey = ({ staticSeal }: ServerConfig): readonly string[] =>
  staticSeal === undefined
    ? []
    : [
        'seal "static": the secrets service unseals itself; its key and its data together are all secrets in the clear, so keep the key and its backups apart from the data',
      ]

/** Warns that links and sign-ins would contain the address on which this server listens, which clients do not know. */
function unreachableLinks(
  { production, behindProxy, catalogUrl, consoleUrl, oidc, only }: ServeFlags,
  listeners: readonly ListenerSettings[],
): readonly string[] {
  const noSignIn =
    production && behindProxy && consoleUrl === undefined && oidc !== undefined && only.has('console')
      ? [
          '--console-url is missing: signing in to the console through the proxy will fail; set it to the public address',
        ]
      : []
  const at = listeners.find(({ service }) => service === 'catalog')
  if (!production || catalogUrl !== undefined || at === undefined) return noSignIn
  if (!behindProxy && at.host !== '0.0.0.0' && at.host !== '::') return noSignIn
  return [
    ...noSignIn,
    `--catalog-url is missing: links to images begin with the address of the listener, ${at.host}; set it to the public address`,
  ]
}

/** Reports each listener of the configuration file whose address a flag overrides. */
function overridden({ host, ...flags }: ServeFlags, { listeners }: ServerConfig): readonly string[] {
  const seen = new Set<Purpose>()
  return listeners.flatMap((listener) => {
    const isFirst = !seen.has(listener.purpose)
    seen.add(listener.purpose)
    const service = serviceOf[listener.purpose]
    const port = isFirst && service !== undefined ? flags[`${service}Port`] : undefined
    const overriding = [
      ...(host !== undefined && host !== listener.host ? [`--host ${host}`] : []),
      ...(port !== undefined && port !== listener.port ? [`--${service}-port ${port}`] : []),
    ]
    return overriding.length === 0
      ? []
      : [
          `${overriding.join(' and ')} overrides the "${listener.purpose}" listener at ${listener.host}:${listener.port} of the configuration file`,
        ]
  })
}
