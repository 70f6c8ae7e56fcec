import { lru } from '../kernel/lru.ts'
import type { ModuleAddress } from './modules/names.ts'
import { slots } from './slots.ts'

/**
 * Another registry, whose modules this one serves and keeps once they are asked for.
 */
export interface Upstream {
  /** Its name, for the record of a module that is kept. */
  readonly name: string
  /** The version numbers of a module; `undefined` if it has no such module. */
  readonly versions: (address: ModuleAddress) => Promise<readonly string[] | undefined>
  /** The archive of a version, a tar.gz or a zip. */
  readonly open: (address: ModuleAddress, version: string) => Promise<AsyncIterable<Uint8Array>>
}

const cachedModules = 10_000
const pulledAtOnce = 4

interface Known {
  readonly until: number
  readonly versions: Promise<readonly string[] | undefined>
}

/** What this process knows of an upstream. */
export interface Pulling {
  readonly upstream: Upstream
  readonly known: ReturnType<typeof lru<Known>>
  readonly running: Map<string, Promise<unknown>>
  readonly slots: ReturnType<typeof slots>
}

export const pulling = (upstream: Upstream | undefined): Pulling | undefined =>
  upstream && { upstream, known: lru(cachedModules, () => 1), running: new Map(), slots: slots(pulledAtOnce) }
