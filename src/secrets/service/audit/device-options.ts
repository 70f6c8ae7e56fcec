import { parseTtlSeconds, type Refused, refuse } from '../../../kernel/index.ts'
import type { AuditTarget } from '../core/audit-device.ts'
import type { EnabledDevice } from './records.ts'

/** What the options of a device mean. */
export interface DeviceOptions {
  readonly target: AuditTarget
  readonly hmacAccessor: boolean
  readonly elideListResponses: boolean
}

const common = ['hmac_accessor', 'elide_list_responses', 'log_raw', 'format', 'prefix']
const own = {
  file: ['file_path', 'path', 'mode'],
  socket: ['address', 'socket_type', 'write_timeout'],
} as const

const invalid = (message: string): Refused<'audit_options'> => refuse('audit_options', message)

/** Reads the options of a device. Those that would show secrets, or write anything but lines of JSON, are refused. */
export function readDeviceOptions({
  type,
  options,
}: Pick<EnabledDevice, 'type' | 'options'>): DeviceOptions | Refused<'audit_options'> {
  const known: readonly string[] = [...own[type], ...common]
  const unknown = Object.keys(options).find((name) => !known.includes(name))
  if (unknown !== undefined)
    return invalid(
      `unknown option ${JSON.stringify(unknown)}; those of a ${type} device are ${known.join(', ')}`,
    )
  const flag = (name: string, otherwise: boolean): boolean | undefined => {
    const text = options[name]
    if (text === undefined || text === '') return otherwise
    return /^(?:1|t|true)$/i.test(text) ? true : /^(?:0|f|false)$/i.test(text) ? false : undefined
  }
  const hmacAccessor = flag('hmac_accessor', true)
  const elideListResponses = flag('elide_list_responses', false)
  if (hmacAccessor === undefined || elideListResponses === undefined)
    return invalid('hmac_accessor and elide_list_responses must be true or false')
  if (flag('log_raw', false) !== false)
    return invalid('log_raw is not supported: strings in the log are always hashed')
  if ((options['format'] || 'json') !== 'json') return invalid('the only format is json')
  if (options['prefix']) return invalid('prefix is not supported: every line is JSON')
  const target = type === 'file' ? fileOf(options) : socketOf(options)
  return 'ok' in target ? target : { target, hmacAccessor, elideListResponses }
}

function fileOf({
  file_path: path,
  path: older,
  mode = '',
}: EnabledDevice['options']): AuditTarget | Refused<'audit_options'> {
  if (!/^(?:0?600|0|)$/.test(mode))
    return invalid('mode is not supported: only the owner can read the file (0600)')
  const at = path || older
  if (!at) return invalid('file_path is required')
  return /[\0-\x1f\x7f]/.test(at)
    ? invalid('file_path contains control characters')
    : { type: 'file', path: at }
}

const socketTypes = ['tcp', 'udp', 'unix'] as const

function socketOf({
  address,
  socket_type: kind = 'tcp',
  write_timeout: timeout = '2s',
}: EnabledDevice['options']): AuditTarget | Refused<'audit_options'> {
  if (!address) return invalid('address is required')
  const socketType = socketTypes.find((known) => known === kind)
  if (socketType === undefined) return invalid(`socket_type must be one of ${socketTypes.join(', ')}`)
  if (socketType !== 'unix' && !/^(?:\[[\da-f:.]+\]|[\w.-]+):\d{1,5}$/i.test(address))
    return invalid('address must be HOST:PORT')
  const seconds = parseTtlSeconds(timeout)
  if (seconds === undefined || seconds < 1)
    return invalid('write_timeout must be a duration of at least 1s, such as 2s')
  return { type: 'socket', address, socketType, timeoutMs: seconds * 1000 }
}
