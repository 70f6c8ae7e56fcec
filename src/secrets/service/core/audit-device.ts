import { brand, brandOf, isBranded } from '../../../kernel/brand.ts'

/**
 * Where an audit device puts its lines: a file (`lineFile` of `plinth/node`), a socket, a queue.
 */
export interface AuditSink {
  /**
   * Takes one line, which ends in a newline.
   *
   * @returns resolves once the line is written; rejects if it could not be. A line that is not written after half a minute counts as failed.
   */
  readonly write: (line: string) => Promise<void>
}

/**
 * Where an audit device that was enabled over HTTP writes.
 */
export type AuditTarget =
  | { readonly type: 'file'; readonly path: string }
  | {
      readonly type: 'socket'
      /** `HOST:PORT`, or the path of a Unix socket. */
      readonly address: string
      readonly socketType: 'tcp' | 'udp' | 'unix'
      /** How long a line may take, in milliseconds. */
      readonly timeoutMs: number
    }

/**
 * An opened target.
 */
export interface OpenedAuditSink extends AuditSink {
  /** Flushes and closes it. */
  readonly close: () => Promise<void>
}

const mark = /* @__PURE__ */ brandOf('AuditDeviceError')

/**
 * An audit device that cannot be written at the moment: the message names it and the cause.
 */
export class AuditDeviceError extends Error {
  override readonly name = 'AuditDeviceError'
  /** The kind of error, as other errors have it. */
  readonly code = 'audit_device_failed'

  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    brand(AuditDeviceError.prototype, mark)
  }

  /** Also true for errors of another copy of the package in this process. */
  static override [Symbol.hasInstance](value: unknown): value is AuditDeviceError {
    // biome-ignore lint/complexity/noThisInStatic: a subclass asks for itself
    return isBranded(this, AuditDeviceError, mark, value)
  }

  /** The error as data, without its cause: the output of `JSON.stringify`. */
  toJSON(): { readonly name: string; readonly code: string; readonly message: string } {
    return { name: this.name, code: this.code, message: this.message }
  }
}

/**
 * An audit device: each request and each answer of the API is a line of JSON in its sink before the answer is given.
 *
 * @remarks
 * Strings in requests and answers stand as HMAC-SHA256 with a key of the service's realm: equal for equal strings, so that
 * `sys/audit-hash` finds a known value in the log, and of no use to readers of the log otherwise.
 */
export interface AuditDevice {
  /** The name that lists show: `file/`. */
  readonly path: string
  readonly sink: AuditSink
  /** `file` by default. */
  readonly type?: string | undefined
  readonly description?: string | undefined
  /** Whether lists show it as local to one cluster; false by default. */
  readonly local?: boolean | undefined
  /** Whether accessors are hashed as well; true by default. */
  readonly hmacAccessor?: boolean | undefined
  /** Whether the entry of a list has the number of names instead of the names; false by default. */
  readonly elideListResponses?: boolean | undefined
  /** The further settings that lists show. */
  readonly options?: Readonly<Record<string, string>> | undefined
}

/** The path of a device in lists: with one slash at its end. */
export const devicePath = ({ path }: Pick<AuditDevice, 'path'>): string =>
  `${path.replace(/^\/+|\/+$/g, '')}/`

/** A device as lists show it. */
export const deviceWire = (device: AuditDevice) => ({
  type: device.type ?? 'file',
  description: device.description ?? '',
  local: device.local ?? false,
  path: devicePath(device),
  options: {
    ...(device.hmacAccessor === false && { hmac_accessor: 'false' }),
    ...(device.elideListResponses && { elide_list_responses: 'true' }),
    ...device.options,
  },
})
