import type { Instant, Timers } from '../kernel/index.ts'
import { lru } from '../kernel/lru.ts'
import type { ModuleAddress } from './modules/names.ts'
import { pullQueue } from './pull-queue.ts'

/**
 * Another registry, whose modules this one serves and keeps once they are asked for.
 */
export interface Upstream {
  /** Its name, for the record of a module that is kept. */
  readonly name: string
  /**
   * The version numbers of a module; `undefined` if it has no such module.
   *
   * @param via - the `Via` header to send, by which registries that copy from each other notice a loop
   */
  readonly versions: (address: ModuleAddress, via: string) => Promise<readonly string[] | undefined>
  /**
   * The archive of a version, a tar.gz or a zip.
   *
   * @param signal - aborted when the copy is given up, after 5 minutes at the latest
   */
  readonly open: (
    address: ModuleAddress,
    version: string,
    via: string,
    signal: AbortSignal,
  ) => Promise<AsyncIterable<Uint8Array>>
  /** How many versions are copied in an hour for callers without a token, all together; 1,000 by default. */
  readonly anonymousPerHour?: number | undefined
}

const cachedModules = 10_000

interface Known {
  readonly until: number
  readonly versions: Promise<readonly string[] | undefined>
}

/** What this process knows of an upstream. */
export interface Pulling {
  readonly upstream: Upstream
  readonly known: ReturnType<typeof lru<Known>>
  readonly running: Map<string, Promise<unknown>>
  readonly queue: ReturnType<typeof pullQueue>
  /** Names this registry in `Via`. */
  readonly hop: string
  /** The `Via` of requests to the upstream. */
  readonly via: string
  /** Whether one more version may be copied for a caller without a token. */
  readonly admitAnonymous: (now: Instant) => boolean
}

const hourMs = 3_600_000

/** @param newId - names this registry among others; called with an upstream only, as Workers create none at module scope */
export function pulling(
  upstream: Upstream | undefined,
  { newId, timers }: { readonly newId: () => string; readonly timers: Timers },
): Pulling | undefined {
  if (!upstream) return undefined
  const { anonymousPerHour = 1000 } = upstream
  const hop = `plinth-${newId()}`
  let [ends, left] = [0, 0]
  return {
    upstream,
    known: lru(cachedModules, () => 1),
    running: new Map(),
    queue: pullQueue(timers),
    hop,
    via: `1.1 ${hop}`,
    admitAnonymous: (now) => {
      if (now >= ends) [ends, left] = [now + hourMs, anonymousPerHour]
      left -= 1
      return left >= 0
    },
  }
}

/** Registries in a row; more are a loop that something between them hides. */
const mostHops = 8

/** What a request of another registry, by its `Via`, may copy from the upstream; a loop, nothing. */
export function pullingFor(
  pulling: Pulling,
  via: string,
): { readonly pulling: Pulling | undefined; readonly isLoop: boolean } {
  const hops: readonly string[] = via.match(/\bplinth-[\w-]+/g) ?? []
  if (hops.includes(pulling.hop) || hops.length >= mostHops) return { pulling: undefined, isLoop: true }
  return { pulling: Object.assign({}, pulling, { via: `${via}, ${pulling.via}` }), isLoop: false }
}
