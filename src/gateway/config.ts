import { checkArguments } from '../kernel/check-arguments.ts'
import { parseDuration, type Refused, refuse } from '../kernel/index.ts'

/** The default ports of listeners, by purpose. */
export const defaultPorts = { api: 9200, cluster: 9201, proxy: 9202, ops: 9203 } as const

/**
 * The purposes of the listeners of a controller and its worker.
 */
export type ListenerPurpose = keyof typeof defaultPorts

/**
 * A configuration in plain values; `controller` and `worker` are blocks that may be empty.
 */
export interface GatewayConfigInput {
  /** A listener of the process. */
  readonly listener?: readonly ListenerInput[] | undefined
  /** If present, even empty, the process has a controller. */
  readonly controller?: { readonly graceful_shutdown_wait_duration?: string | number | undefined } | undefined
  /** If present, even empty, the process has a worker. */
  readonly worker?: Readonly<Record<string, unknown>> | undefined
}

/**
 * One listener block.
 */
export interface ListenerInput {
  /** One purpose; a list of one is the same. */
  readonly purpose?: string | readonly string[] | undefined
  /** `host:port`, `host`, or nothing: the host defaults to 127.0.0.1 and the port to that of the purpose. */
  readonly address?: string | undefined
  /** `true` for plain HTTP. */
  readonly tls_disable?: boolean | undefined
  /** The certificate, needed unless TLS is disabled. */
  readonly tls_cert_file?: string | undefined
}

/**
 * A valid configuration.
 */
export interface GatewayConfig {
  /** The listeners, in the order of the configuration. */
  readonly listeners: readonly {
    readonly purpose: ListenerPurpose
    readonly host: string
    readonly port: number
  }[]
  /** Whether a controller runs. */
  readonly controller: boolean
  /** Whether a worker runs. */
  readonly worker: boolean
  /** How long to report unhealthy before shutdown starts; 0 for no grace period. */
  readonly graceMs: number
}

const isPurpose = (text: string): text is ListenerPurpose => Object.hasOwn(defaultPorts, text)

/** The listeners that each block requires. */
const needed = { controller: ['api'], worker: [] } as const satisfies Record<
  'controller' | 'worker',
  readonly ListenerPurpose[]
>

/**
 * Checks a gateway's configuration: listeners, grace period, and that every active part is reachable.
 *
 * @param requires - the purposes a block cannot do without: `api` for a controller by default; a host that also has
 * cluster and proxy listeners adds them
 *
 * @returns the listeners and parts to start, or `invalid_gateway_config` with the place in `detail.key`:
 *   `listener[1].purpose`.
 *
 * @remarks
 * TLS is on unless `tls_disable` is true, and then needs a certificate. An `ops` listener needs a controller or a
 * worker in the process, because there is no other health to report.
 *
 * @example
 * ```ts
 * import { checkGatewayConfig } from 'plinth/gateway'
 *
 * const checked = checkGatewayConfig({
 *   listener: [
 *     { purpose: 'api', tls_disable: true },
 *     { purpose: 'ops', tls_disable: true },
 *   ],
 *   controller: { graceful_shutdown_wait_duration: '10s' },
 * })
 * checked.ok && checked.value.graceMs // 10_000
 * ```
 */
export function checkGatewayConfig(
  config: GatewayConfigInput,
  requires: Readonly<Record<'controller' | 'worker', readonly ListenerPurpose[]>> = needed,
): { readonly ok: true; readonly value: GatewayConfig } | Refused<'invalid_gateway_config'> {
  checkArguments('config', config)
  const listeners: GatewayConfig['listeners'][number][] = []
  for (const [index, block] of (config.listener ?? []).entries()) {
    const read = readListener(block, `listener[${index}]`)
    if ('refusal' in read) return read
    listeners.push(read)
  }
  const active = { controller: config.controller !== undefined, worker: config.worker !== undefined }
  for (const block of ['controller', 'worker'] as const)
    for (const purpose of active[block] ? requires[block] : [])
      if (!listeners.some((listener) => listener.purpose === purpose))
        return invalid(block, `Config activates ${block} but no listener with "${purpose}" purpose found`)
  const ops = listeners.findIndex(({ purpose }) => purpose === 'ops')
  if (ops >= 0 && !active.controller && !active.worker)
    return invalid(
      `listener[${ops}].purpose`,
      'an "ops" listener needs a controller or a worker in the same config',
    )

  const graceMs = readGrace(config.controller?.graceful_shutdown_wait_duration)
  if (typeof graceMs !== 'number') return graceMs
  return { ok: true, value: { listeners, ...active, graceMs } }
}

const invalid = (key: string, message: string) => refuse('invalid_gateway_config', message, { key })

/** A duration such as `10s`, or a number of seconds; missing means no grace period. */
function readGrace(value: string | number | undefined): number | Refused<'invalid_gateway_config'> {
  if (value === undefined) return 0
  const ms = typeof value === 'number' ? value * 1000 : (secondsOnly(value) ?? parseDuration(value))
  if (ms !== undefined && Number.isFinite(ms) && ms >= 0) return Math.round(ms)
  return invalid(
    'controller.graceful_shutdown_wait_duration',
    `graceful_shutdown_wait_duration is ${JSON.stringify(value)}: use a duration such as "10s", or seconds as a number, not below 0`,
  )
}

const secondsOnly = (text: string): number | undefined =>
  /^\d+$/.test(text) ? Number(text) * 1000 : undefined

function readListener(
  block: ListenerInput,
  key: string,
): GatewayConfig['listeners'][number] | Refused<'invalid_gateway_config'> {
  const purposes = typeof block.purpose === 'string' ? [block.purpose] : (block.purpose ?? [])
  const [first = ''] = purposes
  if (first === '') return invalid(`${key}.purpose`, 'Listener specified without a purpose')
  if (purposes.length > 1)
    return invalid(`${key}.purpose`, 'Specifying a listener with more than one purpose is not supported')
  const purpose = first.toLowerCase()
  if (!isPurpose(purpose)) return invalid(`${key}.purpose`, `Unknown listener purpose "${first}"`)
  const at = readAddress(block.address ?? '', defaultPorts[purpose])
  if (!at)
    return invalid(
      `${key}.address`,
      `${JSON.stringify(block.address)} is not an address such as 127.0.0.1:9203`,
    )
  if (block.tls_disable !== true && (block.tls_cert_file ?? '') === '') {
    const where = `${at.host.includes(':') ? `[${at.host}]` : at.host}:${at.port}`
    return invalid(
      `${key}.tls_cert_file`,
      `tls not disabled for listener at address "${where}" with purpose "${purpose}" but no certificate file supplied`,
    )
  }
  return { purpose, ...at }
}

function readAddress(text: string, defaultPort: number): { host: string; port: number } | undefined {
  const match = /^(\[[0-9A-Fa-f:.]+\]|[^:\s[\]]*)(?::(\d{1,5}))?$/.exec(text)
  const port = Number(match?.[2] ?? defaultPort)
  if (!match || port > 65_535) return undefined
  const host = (match[1] ?? '').replace(/^\[|\]$/g, '')
  return { host: host === '' ? '127.0.0.1' : host, port }
}
