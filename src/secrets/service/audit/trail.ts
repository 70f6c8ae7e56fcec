import { type Refused, refuse, systemTimers } from '../../../kernel/index.ts'
import type { Keyring } from '../../seal/keyring.ts'
import { type AuditDevice, AuditDeviceError, devicePath } from '../core/audit-device.ts'
import { type Core, stateOf } from '../core/core.ts'
import { timeText } from '../core/time-text.ts'
import { devicesOf } from './enabled-devices.ts'
import { type AuditedRequest, type Spelling, spellingFor } from './entry.ts'
import { type Hashes, hashesWith } from './hashes.ts'

/** A request in progress: the lines written for it, in the format of each device. */
export interface AuditTurn {
  /** The devices that were enabled when it arrived. */
  readonly devices: readonly AuditDevice[]
  readonly spellings: readonly Spelling[]
  /** The data of the request; `undefined` until its line is begun. */
  request: AuditedRequest | undefined
  /** The shared part of both lines, in the format of each device. */
  common: readonly string[]
  /** Whether the line of the request is written. */
  written: Promise<boolean>
}

/** The audit devices of a service. */
export const auditOf = stateOf(trail)

function trail(core: Core) {
  const devices = devicesOf(core)
  const { hashesOf, spellingsOf } = spellingsOfKeyrings(core)
  const write = writer(core)
  const instantText = instantTexts()
  const failed = (what: string): Refused<'audit_failed'> =>
    refuse('audit_failed', `failed to audit ${what}: no audit device could be written`)

  const tell = (turn: AuditTurn, request: AuditedRequest, error = ''): Promise<boolean> => {
    const now = instantText(core.env().now)
    turn.request = request
    turn.common = turn.spellings.map((how) => how.common(request))
    turn.written = write(turn, (how, at) => how.requestLine(turn.common[at] ?? '', now, error))
    return turn.written
  }

  return {
    /** Begins to audit a request; `undefined` without audit devices, and while the service is sealed. */
    begin: (): AuditTurn | undefined => {
      const now = devices.now()
      const opened = now.length === 0 ? undefined : core.barrier.ifOpen()
      if (opened === undefined) return undefined
      const { spellings } = spellingsOf(opened.keyring, now)
      return { devices: now, spellings, request: undefined, common: [], written: alreadyWritten }
    },
    /**
     * Writes the line of a request.
     *
     * @param changes - whether it may change something, for which the line must be there first
     */
    request: (
      turn: AuditTurn,
      request: AuditedRequest,
      changes: boolean,
    ): Promise<Refused<'audit_failed'> | undefined> | undefined => {
      const written = tell(turn, request)
      return changes ? written.then((isWritten) => (isWritten ? undefined : failed('request'))) : undefined
    },
    /** Writes the line of an answer, and that of its request if it is missing; a refusal replaces the answer. */
    response: async (
      turn: AuditTurn,
      request: () => AuditedRequest,
      answer: unknown,
      error: string,
    ): Promise<Refused<'audit_failed'> | undefined> => {
      if (turn.request === undefined) tell(turn, request(), error)
      const now = instantText(core.env().now)
      const requestLine = turn.request ?? request()
      const { common, written } = turn
      const line = write(turn, (how, at) =>
        how.responseLine(common[at] ?? '', now, error, requestLine, answer),
      )
      const answered = await line
      return (await written) && answered ? undefined : failed('response')
    },
    /** The hash of a text in the log of a device; `undefined` for an unknown device. */
    hash: (path: string, input: string): string | undefined => {
      const wanted = `${path.replace(/^\/+|\/+$/g, '')}/`
      return devices.now().some((device) => devicePath(device) === wanted)
        ? hashesOf(core.barrier.enter().keyring).once(input)
        : undefined
    },
  }
}

/** The hashes and spellings of each key ring, which are garbage with it once the service is sealed. */
function spellingsOfKeyrings(core: Core) {
  const hashes = new WeakMap<Keyring, Hashes>()
  const hashesOf = (keyring: Keyring): Hashes => {
    const known = hashes.get(keyring)
    if (known) return known
    const made = hashesWith(core, keyring)
    hashes.set(keyring, made)
    return made
  }
  const spellings = new WeakMap<Keyring, Pick<AuditTurn, 'devices' | 'spellings'>>()
  const spellingsOf = (keyring: Keyring, now: readonly AuditDevice[]) => {
    const known = spellings.get(keyring)
    if (known?.devices === now) return known
    const hashing = hashesOf(keyring)
    const made = { devices: now, spellings: now.map((device) => spellingFor(device, hashing)) }
    spellings.set(keyring, made)
    return made
  }
  return { hashesOf, spellingsOf }
}

/** Writes the lines of a request to its devices. */
function writer(core: Core) {
  const inTime = lineLimit()
  /** The devices whose last line failed: an outage is reported once. */
  const failing = new WeakSet<AuditDevice>()
  /** Whether a device took what it was given. */
  const outcomeOf = async (device: AuditDevice, written: Promise<void>): Promise<boolean> => {
    try {
      await inTime(written)
      failing.delete(device)
      return true
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      if (!failing.has(device))
        core.report(
          new AuditDeviceError(`the audit device ${devicePath(device)} could not be written: ${reason}`, {
            cause: error,
          }),
        )
      failing.add(device)
      return false
    }
  }
  /** What each device returned last: a file returns one promise for all lines that it writes together. */
  const latest = new WeakMap<
    AuditDevice,
    { readonly written: Promise<void>; readonly outcome: Promise<boolean> }
  >()
  /** Writes a line to one device; whether it took it. */
  const writeTo = (device: AuditDevice, line: string): Promise<boolean> => {
    const written = started(device, line)
    const last = latest.get(device)
    if (last?.written === written) return last.outcome
    const outcome = outcomeOf(device, written)
    latest.set(device, { written, outcome })
    return outcome
  }
  /** Writes a line to every device; whether any of them took it. */
  return (turn: AuditTurn, spell: (how: Spelling, at: number) => string): Promise<boolean> => {
    const lines = turn.spellings.map(spell)
    const written = turn.devices.map((device, at) => writeTo(device, lines[at] ?? ''))
    const [only] = written
    return only && written.length === 1 ? only : Promise.all(written).then((each) => each.includes(true))
  }
}

/** Hands a line to a device, whose own code may throw. */
function started({ sink }: AuditDevice, line: string): Promise<void> {
  try {
    return sink.write(line)
  } catch (error) {
    return Promise.reject(error)
  }
}

/** The time limit of a sink for a line, and the interval of the checks, in milliseconds. */
const sinkLimitMs = 30_000
const checkMs = 5_000

/** Rejects lines that a sink does not write within the limit, because requests wait for them; one timer serves all lines. */
function lineLimit(): (written: Promise<void>) => Promise<void> {
  /** In the order of their arrival. */
  const waiting = new Set<{ readonly since: number; readonly fail: (reason: Error) => void }>()
  let checks = 0
  let isChecking = false
  const check = () => {
    checks += 1
    for (const line of waiting) {
      if ((checks - line.since) * checkMs <= sinkLimitMs) break
      waiting.delete(line)
      line.fail(new Error(`the line was not written within ${sinkLimitMs} ms`))
    }
    isChecking = waiting.size > 0
    if (isChecking) systemTimers.after(checkMs, check)
  }
  return (written) =>
    new Promise((resolve, fail) => {
      const line = { since: checks, fail }
      waiting.add(line)
      if (!isChecking) systemTimers.after(checkMs, check)
      isChecking = true
      Promise.resolve(written).then(
        () => {
          waiting.delete(line)
          resolve()
        },
        (error) => {
          waiting.delete(line)
          fail(error)
        },
      )
    })
}

/** The requests of one millisecond share its text. */
function instantTexts(): (instant: number) => string {
  let last = { instant: Number.NaN, text: '' }
  return (instant) => {
    if (instant !== last.instant) last = { instant, text: timeText(instant) }
    return last.text
  }
}

const alreadyWritten = Promise.resolve(true)
