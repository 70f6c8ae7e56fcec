import { createSecureContext } from 'node:tls'
import * as z from 'zod'
import { usernameProblem } from '../../catalog/boxes/names.ts'
import { checkGatewayConfig } from '../../gateway/index.ts'
import { type Body, positionOf, readHcl, toPlain, type Value } from '../../hcl/index.ts'
import type { ForwardedForRules } from '../../http/index.ts'
import { badCidr } from '../../networks/networks.ts'
import { type TrustRule, trustRuleProblem } from '../../oidc/index.ts'
import { firstFault, strict } from '../../operation/known-fields.ts'
import { isAddressPart } from '../../registry/modules/names.ts'
import type { StaticSeal } from '../../secrets/index.ts'
import { fileText } from '../file-text.ts'
import { UserError } from '../user-error.ts'
import { type AuditConfig, Flag, takeAudit } from './audit-config.ts'
import { DeclaredSecrets } from './declared-secrets.ts'
import { takeSeal } from './seal-config.ts'

/** The purposes of listeners; `api` is the gateway controller, `ops` its health endpoint. */
const purposes = ['secrets', 'scheduler', 'ops', 'catalog', 'registry', 'api'] as const
export type Purpose = (typeof purposes)[number]

/** The default ports of listeners. */
export const defaultPorts = {
  secrets: 8200,
  scheduler: 4646,
  ops: 9203,
  catalog: 8300,
  registry: 8400,
  api: 9200,
} as const satisfies Record<Purpose, number>

const settings = <Shape extends z.core.$ZodShape>(shape: Shape) => strict(shape, 'setting')

const Text = z.string()
const onePurpose = { error: `a listener has exactly one purpose, of ${purposes.join(', ')}` }
const Bytes = z.union(
  [
    z.int().min(1),
    z
      .string()
      .regex(/^[1-9]\d*$/)
      .transform(Number),
  ],
  { error: 'expected a number of bytes, such as 1048576' },
)

const Networks = z
  .union([Text.transform((list) => list.split(',')), z.array(Text)], {
    error: 'expected addresses and networks, such as ["10.0.0.0/8"]',
  })
  .transform((list) => list.map((item) => item.trim()).filter((item) => item !== ''))
  .check((read) => {
    const wrong = badCidr(read.value)
    if (wrong === undefined && read.value.length > 0) return
    const message =
      wrong === undefined ? 'name at least one proxy' : `"${wrong}" is neither an address nor a network`
    read.issues.push({ code: 'custom', input: read.value, message })
  })
const Hops = z.union(
  [
    z.int().min(0),
    z
      .string()
      .regex(/^\d{1,3}$/)
      .transform(Number),
  ],
  {
    error: 'expected a number of proxies, such as 1',
  },
)

const Cors = settings({
  enabled: z.boolean().optional().describe('Whether other origins may call the service'),
  allowed_origins: z.array(Text).optional().describe('Origins that may call, or `*` alone'),
  allowed_headers: z.array(Text).optional().describe('Request headers that they may send'),
})

const Listener = settings({
  purpose: z
    .preprocess(
      (value) => (typeof value === 'string' ? [value] : value),
      z.array(Text, onePurpose).length(1, onePurpose),
    )
    .describe(`What it serves: one of ${purposes.join(', ')}`),
  address: Text.optional().describe('Host and port, such as 127.0.0.1:8200'),
  tls_disable: z.boolean().optional().describe('Whether it uses plain HTTP'),
  tls_cert_file: Text.optional().describe('File of its certificate, as PEM'),
  tls_key_file: Text.optional().describe('File of its private key, as PEM'),
  max_request_size: Bytes.optional().describe('Bytes of the largest request body'),
  require_request_header: z
    .boolean()
    .optional()
    .describe('Whether requests to the secrets service need the X-Secrets-Request header'),
  custom_response_headers: z
    .record(Text, z.record(Text, z.array(Text)))
    .optional()
    .describe('Headers to add, by status ("200", "4xx", "default") and name'),
  cors: Cors.optional().describe('Which other origins may call the secrets service'),
  x_forwarded_for_authorized_addrs: Networks.optional().describe(
    'Addresses and networks of the proxies whose X-Forwarded-For names the client',
  ),
  x_forwarded_for_hop_skips: Hops.optional().describe(
    'How many of the last addresses of X-Forwarded-For to skip; 0 by default',
  ),
  x_forwarded_for_reject_not_present: Flag.optional().describe(
    'Whether requests without X-Forwarded-For are answered 400; true by default',
  ),
  x_forwarded_for_reject_not_authorized: Flag.optional().describe(
    'Whether requests with X-Forwarded-For from any other address are answered 400; true by default',
  ),
})

/** The settings of a configuration file, except its audit devices. */
export const Config = settings({
  listener: z.array(Listener).default([]).describe('Addresses to listen on, any number of blocks'),
  controller: settings({
    graceful_shutdown_wait_duration: z
      .union([Text, z.number()])
      .optional()
      .describe('How long the gateway reports 503 before it stops: "10s", or seconds'),
  })
    .optional()
    .describe('The gateway runs a controller'),
  worker: z.looseObject({}).optional().describe('The gateway runs a worker'),
  scheduler: settings({
    collect: z
      .boolean()
      .optional()
      .describe('Whether ended jobs, evaluations and nodes are deleted after a while'),
  })
    .optional()
    .describe('Settings of the scheduler'),
  trust: z
    .record(
      Text,
      settings({
        issuer: Text.describe('The issuer of the tokens, such as https://gitlab.com'),
        claims: z
          .record(Text, z.union([Text, z.array(Text)]))
          .describe(
            'Claims that a token must have: a value or several, in which `*` stands for any text; `aud` among them',
          ),
        namespaces: z
          .array(Text)
          .describe('Namespaces of the registry, and accounts of the catalog, that it publishes into'),
      }),
    )
    .optional()
    .describe('Rules by name: which tokens of CI systems may publish boxes and modules'),
  secrets: DeclaredSecrets.optional().describe(
    'Mounts, policies, users and roles that the secrets service creates at its first start',
  ),
})

/** One listener of a configuration file. */
export interface ListenerConfig {
  readonly purpose: Purpose
  readonly host: string
  readonly port: number
  readonly tls: { readonly cert: string; readonly key: string } | undefined
  readonly maxRequestBytes: number | undefined
  readonly requireRequestHeader: boolean
  readonly customResponseHeaders:
    | Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>
    | undefined
  readonly cors:
    | { readonly allowedOrigins: readonly string[]; readonly allowedHeaders: readonly string[] }
    | undefined
  readonly forwardedFor: ForwardedForRules | undefined
}

/** A validated configuration file. */
export interface ServerConfig {
  readonly listeners: readonly ListenerConfig[]
  readonly graceMs: number | undefined
  readonly worker: boolean
  readonly collect: boolean | undefined
  /** The audit devices of the secrets service. */
  readonly audit: readonly AuditConfig[]
  /** The key of an unattended unseal of the secrets service. */
  readonly staticSeal: StaticSeal | undefined
  /** The declarations for the secrets service. */
  readonly secrets: DeclaredSecrets
  /** Which tokens of CI systems may publish. */
  readonly trust: readonly TrustRule[]
}

/** Reads `--config FILE`, HCL or JSON; an error names the line and the key. */
export async function readConfig(path: string): Promise<ServerConfig> {
  const read = readHcl(await fileText(path, 'the configuration'))
  if (!read.ok) throw new UserError(`${path}, ${read.refusal.message}`)
  const { rest, audit } = takeAudit(read.value, path)
  const { rest: unsealed, staticSeal } = await takeSeal(rest, path)
  const { body, plain, listenerBodies } = takeListeners(unsealed, path)

  const at = (keys: readonly PropertyKey[]) => {
    const [block, index, ...rest] = keys
    const listener = block === 'listener' && typeof index === 'number' ? listenerBodies[index] : undefined
    const { line } = listener ? positionOf(listener, rest) : positionOf(body, keys)
    return `${path}, line ${line}`
  }
  const parsed = Config.safeParse(plain)
  if (!parsed.success) {
    const { keys, path: key, message } = firstFault(parsed.error)
    throw new UserError(`${at(keys)}: ${key}: ${message}`)
  }
  const gateway = checkGatewayConfig({ ...parsed.data, listener: parsed.data.listener.filter(isGateways) })
  if (!gateway.ok) {
    const key = String(gateway.refusal.detail?.['key'] ?? '')
    const ordinal = /^listener\[(\d+)\]/.exec(key)?.[1]
    const index = ordinal === undefined ? -1 : indexOfNth(parsed.data.listener, isGateways, Number(ordinal))
    const name = key.replace(/^listener\[\d+\]/, `listener[${index}]`)
    const keys = index < 0 ? key.split('.') : ['listener', index, ...key.split('.').slice(1)]
    throw new UserError(`${at(keys)}: ${name}: ${gateway.refusal.message}`)
  }
  const listeners: ListenerConfig[] = []
  for (const [index, listener] of parsed.data.listener.entries())
    listeners.push(
      await readListener(listener, (key) => `${at(['listener', index, key])}: listener[${index}].${key}`),
    )
  return {
    listeners,
    graceMs: parsed.data.controller === undefined ? undefined : gateway.value.graceMs,
    worker: parsed.data.worker !== undefined,
    collect: parsed.data.scheduler?.collect,
    audit,
    staticSeal,
    secrets: parsed.data.secrets ?? {},
    trust: Object.entries(parsed.data.trust ?? {}).map(([name, rule]) => {
      const problem = trustRuleProblem(
        { name, ...rule },
        (namespace) => isAddressPart('namespace', namespace) && usernameProblem(namespace) === undefined,
      )
      if (problem === undefined) return { name, ...rule }
      throw new UserError(`${at(['trust', name])}: trust.${name}.${problem}`)
    }),
  }
}

const isGateways = ({ purpose: [purpose] }: z.output<typeof Listener>): boolean =>
  purpose?.toLowerCase() === 'ops' || purpose?.toLowerCase() === 'api'

const indexOfNth = <Item>(items: readonly Item[], test: (item: Item) => boolean, nth: number): number => {
  let left = nth
  return items.findIndex((item) => test(item) && left-- === 0)
}

/** Listeners repeat and may have a label (`listener "tcp"`), so they are extracted from the rest. */
function takeListeners(body: Body, path: string) {
  const listenerBodies: Body[] = []
  const others = body.entries.filter((entry) => entry.keys[0]?.text !== 'listener')
  for (const entry of body.entries) {
    if (entry.keys[0]?.text !== 'listener') continue
    if (entry.keys.length > 2)
      throw new UserError(`${path}, line ${entry.at.line}: a listener has at most one label`)
    for (const value of entry.value.kind === 'list' ? entry.value.items : [entry.value]) {
      const listener = withoutLabel(value, entry.keys.length === 2)
      if (listener === undefined)
        throw new UserError(`${path}, line ${value.at.line}: listener: expected a block`)
      listenerBodies.push(listener)
    }
  }
  const rest: Body = { ...body, entries: others }
  return {
    body: rest,
    plain: { ...toPlain(rest), listener: listenerBodies.map((each) => toPlain(each)) },
    listenerBodies,
  }
}

/** In JSON, the label is one more level: `"listener": [{ "tcp": { … } }]`. */
function withoutLabel(value: Value, labelled: boolean): Body | undefined {
  if (value.kind !== 'object') return undefined
  const [only] = value.entries
  const inner = value.entries.length === 1 ? only?.value : undefined
  return !labelled && only?.keys[0]?.text === 'tcp' && inner?.kind === 'object' ? inner : value
}

async function readListener(
  listener: z.output<typeof Listener>,
  where: (key: string) => string,
): Promise<ListenerConfig> {
  const text = listener.purpose[0] ?? ''
  const purpose = purposes.find((name) => name === text.toLowerCase())
  if (purpose === undefined)
    throw new UserError(
      `${where('purpose')}: Unknown listener purpose "${text}"; known are ${purposes.join(', ')}`,
    )
  const address = /^(\[[0-9A-Fa-f:.]+\]|[^:\s[\]]*)(?::(\d{1,5}))?$/.exec(listener.address ?? '')
  const port = Number(address?.[2] ?? defaultPorts[purpose])
  if (!address || port > 65_535)
    throw new UserError(
      `${where('address')}: "${listener.address}" is not an address such as 127.0.0.1:${defaultPorts[purpose]}`,
    )
  return {
    purpose,
    host: (address[1] ?? '').replace(/^\[|\]$/g, '') || '127.0.0.1',
    port,
    tls: await readTls(listener, purpose, where),
    maxRequestBytes: listener.max_request_size,
    requireRequestHeader: listener.require_request_header ?? false,
    customResponseHeaders: listener.custom_response_headers,
    cors:
      listener.cors === undefined || listener.cors.enabled === false
        ? undefined
        : {
            allowedOrigins: listener.cors.allowed_origins ?? [],
            allowedHeaders: listener.cors.allowed_headers ?? [],
          },
    forwardedFor: readForwardedFor(listener, where),
  }
}

function readForwardedFor(
  listener: z.output<typeof Listener>,
  where: (key: string) => string,
): ForwardedForRules | undefined {
  const authorizedAddrs = listener.x_forwarded_for_authorized_addrs
  if (authorizedAddrs !== undefined)
    return {
      authorizedAddrs,
      hopSkips: listener.x_forwarded_for_hop_skips,
      rejectNotPresent: listener.x_forwarded_for_reject_not_present,
      rejectNotAuthorized: listener.x_forwarded_for_reject_not_authorized,
    }
  const key = Object.keys(listener).find((name) => name.startsWith('x_forwarded_for_'))
  if (key === undefined) return undefined
  throw new UserError(`${where(key)}: name the proxies as well, with x_forwarded_for_authorized_addrs`)
}

async function readTls(
  { tls_disable, tls_cert_file, tls_key_file }: z.output<typeof Listener>,
  purpose: Purpose,
  where: (key: string) => string,
): Promise<ListenerConfig['tls']> {
  if (tls_disable === true) return undefined
  if (tls_cert_file === undefined)
    throw new UserError(
      `${where('tls_cert_file')}: TLS is on for the "${purpose}" listener but it has no certificate file; set one, or set tls_disable = true`,
    )
  if (tls_key_file === undefined)
    throw new UserError(
      `${where('tls_key_file')}: the certificate of the "${purpose}" listener has no key file`,
    )
  const cert = await fileText(tls_cert_file, 'the certificate', `${where('tls_cert_file')}: `)
  const key = await fileText(tls_key_file, 'the key', `${where('tls_key_file')}: `)
  try {
    createSecureContext({ cert, key })
  } catch {
    throw new UserError(
      `${where('tls_cert_file')}: ${tls_cert_file} and ${tls_key_file} are not a certificate and its key in PEM`,
    )
  }
  return { cert, key }
}
