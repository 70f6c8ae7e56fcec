import { checkOptions, type OptionNames } from '../../kernel/check-options.ts'
import { eventEmitter } from '../../kernel/event-emitter.ts'
import { checkSince } from '../port/check.ts'
import { StoreError } from '../port/errors.ts'
import type { Commit, Store, Verdict } from '../port/port.ts'

/**
 * How often each fault happens, as a probability from 0 to 1 per call.
 */
export interface Faults {
  /** A batch is answered with conflicts and nothing is written, as if other writers had been faster. */
  readonly conflict?: number | undefined
  /** A batch is written, but its caller gets `unknown`. */
  readonly unknownApplied?: number | undefined
  /** A batch is not written for now, and its caller gets `unknown`. */
  readonly unknownLost?: number | undefined
  /** After an `unknownLost`: the batch arrives later, after its caller's resubmission. */
  readonly zombie?: number | undefined
  /** A call is delayed by some turns of the event loop. */
  readonly delay?: number | undefined
  /** `changes` ends its wait although nothing happened. */
  readonly idleWake?: number | undefined
  /** `changes` repeats earlier changes. */
  readonly repeat?: number | undefined
  /** `changes` throws `compacted`. */
  readonly compacted?: number | undefined
  /** A read or a call of `changes` fails with `unreachable`. */
  readonly unreachable?: number | undefined
}

/**
 * The options of {@link faulty}.
 */
export interface FaultyOptions {
  /** The seed of the faults: the same seed and the same calls give the same faults. */
  readonly seed: number
  /** The probability of each kind; a few percent for most by default. Read at every call: change it during a test. */
  readonly faults?: Faults | undefined
  /** Called for each fault, for a trace. */
  readonly onFault?: ((fault: keyof Faults) => void) | undefined
}

const usual: { readonly [Name in keyof Faults]-?: number } = {
  conflict: 0.05,
  unknownApplied: 0.05,
  unknownLost: 0.05,
  zombie: 0.5,
  delay: 0.2,
  idleWake: 0.1,
  repeat: 0.1,
  compacted: 0.05,
  unreachable: 0,
}

const faultyOptions: OptionNames<FaultyOptions> = {
  seed: true,
  faults: {
    conflict: true,
    unknownApplied: true,
    unknownLost: true,
    zombie: true,
    delay: true,
    idleWake: true,
    repeat: true,
    compacted: true,
    unreachable: true,
  },
  onFault: true,
}

/**
 * Wraps a store with every misbehaviour that the port allows, for tests: the same seed gives the same faults.
 *
 * @throws TypeError for an unknown fault or option
 *
 * @throws RangeError if a probability is greater than 1
 *
 * @example
 * ```ts
 * import { faulty, memoryStore } from 'plinth/store'
 *
 * const store = faulty(memoryStore(), { seed: 7, faults: { unknownApplied: 1 } })
 * const outcome = store.commit([{ id: '1', put: [{ key: 'a', value: 1 }] }])
 * await outcome.catch((error) => error.code) // 'unknown'
 * await store.head() // 1
 * ```
 */
export function faulty(store: Store, options: FaultyOptions): Store {
  checkOptions('faulty', options, faultyOptions)
  const { random, strikes, slow, unreachable } = chances(options)
  /** Batches that were lost and arrive before a later call. */
  let zombies: (readonly Commit[])[] = []
  const late = async () => {
    if (zombies.length === 0 || random() < 0.5) return
    const arrived = zombies
    zombies = []
    for (const batch of arrived) await store.commit(batch)
  }
  const unknown = () => new StoreError('unknown', 'a fault of the test: the outcome of the commit is unknown')

  return {
    head: async () => {
      await slow()
      return store.head()
    },
    read: async (fn) => {
      await slow()
      await late()
      unreachable()
      return store.read(fn)
    },
    commit: async (batch) => {
      await slow()
      // A resubmitted id is answered as the port requires: an accepted commit stays accepted.
      if (batch.every(({ again }) => again !== true) && strikes('conflict')) {
        const rev = await store.head()
        // Only a commit with expectations can be refused.
        if (batch.every(({ expect }) => (expect ?? []).length > 0))
          return batch.map(
            ({ expect = [] }): Verdict => ({ ok: false, rev, stale: expect.map(({ key }) => key) }),
          )
      }
      if (strikes('unknownLost')) {
        if (strikes('zombie')) zombies.push(batch.map((commit) => ({ ...commit, again: false })))
        throw unknown()
      }
      const verdicts = await store.commit(batch)
      await late()
      await slow()
      if (strikes('unknownApplied')) throw unknown()
      return verdicts
    },
    changes: async (since) => {
      checkSince(since)
      await slow()
      await late()
      unreachable()
      if (strikes('compacted')) throw new StoreError('compacted', 'a fault of the test: no longer remembered')
      const { after } = since
      const again = strikes('repeat') ? Math.max(0, after - 1 - Math.floor(random() * 3)) : after
      const waitMs = strikes('idleWake') ? 0 : since.waitMs
      const page = await store.changes({ ...since, after: again, waitMs })
      await slow()
      return page
    },
    import: (entries, head) => store.import(entries, head),
    close: () => store.close(),
  }
}

/** Which faults strike, by the seed. */
function chances({ seed, faults = {}, onFault }: FaultyOptions) {
  for (const [fault, often = 0] of Object.entries(faults)) {
    if (!(often >= 0 && often <= 1)) {
      throw new RangeError(`faulty: faults.${fault} is ${often}: use a probability from 0 to 1`)
    }
  }
  const random = uniform(seed)
  const happened = eventEmitter(onFault)
  const strikes = (fault: keyof Faults): boolean => {
    if (random() >= (faults[fault] ?? usual[fault])) return false
    happened(fault)
    return true
  }
  const slow = async () => {
    if (strikes('delay'))
      for (let turns = 1 + Math.floor(random() * 20); turns > 0; turns -= 1) await undefined
  }
  const unreachable = () => {
    if (strikes('unreachable'))
      throw new StoreError('unreachable', 'a fault of the test: the store does not answer')
  }
  return { random, strikes, slow, unreachable }
}

/** Uniform numbers in [0, 1), the same for the same seed (xorshift, scrambled first so that near seeds differ). */
function uniform(seed: number): () => number {
  let state = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) >>> 0 || 1
  return () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    state >>>= 0
    return state / 4_294_967_296
  }
}
