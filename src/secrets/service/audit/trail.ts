import { type Refused, refuse } from '../../../kernel/index.ts'
import type { Core } from '../core.ts'
import { type AuditDevice, devicePath } from './device.ts'
import { type AuditedRequest, commonPart, requestLine, responseLine } from './entry.ts'
import { auditHashes, type Hash } from './hashes.ts'

/** The audit devices of a service. */
export type AuditTrail = ReturnType<typeof auditTrail>

/** A request in progress: the lines written for it, and their hashes. */
export interface AuditTurn {
  readonly hash: Hash
  /** The line of the request; `undefined` until it is written. */
  request: AuditedRequest | undefined
  /** The shared part of both lines, in the format of each device. */
  common: readonly string[]
  /** Whether the line of the request is written. */
  written: Promise<boolean>
}

export function auditTrail(core: Core) {
  const devices: readonly AuditDevice[] = core.options.audit ?? []
  const hashOf = auditHashes(core)
  const failed = (what: string): Refused<'audit_failed'> =>
    refuse('audit_failed', `failed to audit ${what}: no audit device could be written`)

  /** Writes a line to one device; whether it took it. */
  const writeTo = async (device: AuditDevice, line: string): Promise<boolean> => {
    try {
      await device.sink.write(line)
      return true
    } catch (error) {
      core.report(new Error(`the audit device ${devicePath(device)} could not be written`, { cause: error }))
      return false
    }
  }
  /** Writes a line to every device; whether any of them took it. */
  const write = async (spell: (device: AuditDevice, at: number) => string): Promise<boolean> => {
    const [only] = devices
    if (only && devices.length === 1) return writeTo(only, spell(only, 0))
    const written = await Promise.all(devices.map((device, at) => writeTo(device, spell(device, at))))
    return written.includes(true)
  }

  const tell = (turn: AuditTurn, request: AuditedRequest, error = ''): Promise<boolean> => {
    const { now } = core.env()
    const { hash } = turn
    turn.request = request
    turn.common = devices.map((device) => commonPart(request, { hash, device }))
    turn.written = write((_, at) => requestLine(turn.common[at] ?? '', now, error))
    return turn.written
  }

  return {
    devices,
    /** Begins to audit a request; `undefined` without audit devices, and while the service is sealed. */
    begin: (): AuditTurn | undefined => {
      const opened = devices.length === 0 ? undefined : core.barrier.ifOpen()
      return (
        opened && { hash: hashOf(opened.keyring), request: undefined, common: [], written: alreadyWritten }
      )
    },
    /**
     * Writes the line of a request.
     *
     * @param changes - whether it may change something, for which the line must be there first
     */
    request: async (
      turn: AuditTurn,
      request: AuditedRequest,
      changes: boolean,
    ): Promise<Refused<'audit_failed'> | undefined> => {
      const told = tell(turn, request)
      return !changes || (await told) ? undefined : failed('request')
    },
    /** Writes the line of an answer, and that of its request if it is missing; a refusal replaces the answer. */
    response: async (
      turn: AuditTurn,
      request: () => AuditedRequest,
      answer: unknown,
      error: string,
    ): Promise<Refused<'audit_failed'> | undefined> => {
      if (turn.request === undefined) tell(turn, request(), error)
      const { now } = core.env()
      const told = turn.request ?? request()
      const { hash, common, written } = turn
      const line = write((device, at) =>
        responseLine(common[at] ?? '', now, error, told, answer, { hash, device }),
      )
      const answered = await line
      return (await written) && answered ? undefined : failed('response')
    },
    /** The hash of a text in the log of a device; `undefined` for an unknown device. */
    hash: (path: string, input: string): string | undefined => {
      const wanted = `${path.replace(/^\/+|\/+$/g, '')}/`
      return devices.some((device) => devicePath(device) === wanted)
        ? hashOf(core.barrier.enter().keyring)(input)
        : undefined
    },
  }
}

const alreadyWritten = Promise.resolve(true)
