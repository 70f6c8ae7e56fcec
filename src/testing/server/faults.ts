import { checkNumbers } from '../../kernel/check-numbers.ts'
import { checkOptions } from '../../kernel/check-options.ts'
import type { Timers } from '../../kernel/index.ts'

/**
 * The requests that a fault is for; by default all.
 */
export interface Matching {
  readonly method?: string | undefined
  /** A path, which must be equal, or a pattern. */
  readonly path?: string | RegExp | undefined
  /** How many requests it is for; without it, all until `reset`. */
  readonly times?: number | undefined
}

/**
 * A request that reached a test server.
 */
export interface RecordedRequest {
  readonly method: string
  readonly path: string
  readonly query: Readonly<Record<string, string>>
  /** By lower-case name, tokens included. */
  readonly headers: Readonly<Record<string, string>>
  /** `undefined` while it is being answered. */
  status: number | undefined
}

interface Fault {
  readonly matching: Matching
  readonly status: number | undefined
  readonly ms: number
  left: number
}

/** Faults that were injected and are not over yet. */
export interface Faults {
  readonly add: (matching: Matching, fault: { readonly status?: number; readonly ms?: number }) => void
  readonly clear: () => void
  /** Lets the delays of a request pass; returns the status it fails with, if it does. */
  readonly suffer: (request: RecordedRequest) => Promise<number | undefined>
}

export function faultsOver(timers: Timers): Faults {
  let faults: Fault[] = []
  return {
    add: (matching, { status, ms = 0 }) => {
      const { times = Number.POSITIVE_INFINITY } = matching
      checkNumbers({ least: 1, unit: 'requests' }, { times })
      checkNumbers({ least: 0, unit: 'milliseconds' }, { ms })
      faults.push({ matching, status, ms, left: times })
    },
    clear: () => {
      faults = []
    },
    suffer: async (request) => {
      const due = faults.filter(({ matching, left }) => left > 0 && matches(matching, request))
      // The first failure is the answer: later ones are for later requests.
      const failure = due.find(({ status }) => status !== undefined)
      for (const fault of due) if (fault === failure || fault.status === undefined) fault.left -= 1
      const ms = due.reduce((sum, fault) => sum + fault.ms, 0)
      if (ms > 0) await new Promise<void>((resolve) => timers.after(ms, resolve, { hold: true }))
      return failure?.status
    },
  }
}

const matches = ({ method, path }: Matching, request: RecordedRequest): boolean =>
  (method === undefined || method.toUpperCase() === request.method) &&
  (path === undefined ||
    (typeof path === 'string' ? path === request.path : new RegExp(path).test(request.path)))

/** Callers without types may misspell a field, and every request would match. */
export function checkMatching(of: string, given: Matching, more: Readonly<Record<string, true>>): void {
  checkOptions(of, given, { method: true, path: true, times: true, ...more })
}
