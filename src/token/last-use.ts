import type { Reporter } from '../kernel/event-emitter.ts'
import type { Instant } from '../kernel/index.ts'
import { collection, isStoreError, type Snapshot, type Tx } from '../store/index.ts'

/** When a token was last used, apart from the token, which a use does not change. */
export interface TokenUse {
  readonly digest: string
  readonly at: Instant
}

export const tokenUses = collection<TokenUse>({
  name: 'token-use',
  key: ({ digest }) => [digest],
  scopes: () => [],
})

/** A use within this time of the last one is not stored: a commit for each request would be too many. */
const accuracyMs = 5 * 60_000

/** When a token was last used, to five minutes. */
export const lastUseOf = (now: Snapshot, digest: string): Instant | undefined =>
  tokenUses.get(now, digest)?.value.at

/** Stores the uses of the tokens of one service. */
export interface LastUses {
  /** Stores a use, unless one was stored in the last five minutes. Nothing waits for it. */
  readonly touch: (now: Snapshot, digest: string, at: Instant) => void
  /** Resolves when all uses are stored. */
  readonly settled: () => Promise<void>
}

/** Creates the recorder of the uses of tokens. */
export function lastUses(
  commit: (
    decide: (tx: Tx<TokenUse>) => {
      readonly ok: true
      readonly value: undefined
      readonly events: readonly never[]
    },
  ) => Promise<unknown>,
  report: Reporter,
): LastUses {
  const storing = new Map<string, Promise<void>>()
  return {
    touch: (now, digest, at) => {
      if (at - (lastUseOf(now, digest) ?? Number.NEGATIVE_INFINITY) < accuracyMs || storing.has(digest))
        return
      const stored = commit((tx) => {
        tx.put(tokenUses, { digest, at })
        return { ok: true, value: undefined, events: [] }
      })
        .then(
          () => {},
          // Whether it is stored decides nothing: a store that is closed or read-only needs no report.
          (error: unknown) => (isStoreError(error) ? undefined : report(error)),
        )
        .finally(() => void storing.delete(digest))
      storing.set(digest, stored)
    },
    settled: async () => {
      await Promise.all(storing.values())
    },
  }
}
