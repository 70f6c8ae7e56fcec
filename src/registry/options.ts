import type { CryptoPort } from '../crypto/index.ts'
import type { ConsoleUrl, Exchange, RequestRecord } from '../http/index.ts'
import type { OptionNames } from '../kernel/check-options.ts'
import type { Env, ServiceEvent, Timers } from '../kernel/index.ts'
import type { Blobs, Store } from '../store/index.ts'
import type { ArchiveLimits } from './archive/entry.ts'
import type { LoginService } from './login-service.ts'
import type { RegistryEvent } from './modules/events.ts'
import type { Publisher } from './operations/publisher.ts'
import type { Reader } from './operations/reader.ts'
import type { ModuleLimits } from './versions/limits.ts'

/**
 * What a registry is made of.
 *
 * @public
 */
export interface RegistryOptions {
  /** Where its records live, one registry per store; a fresh memory store by default. */
  readonly store?: Store | undefined
  /** Where commands get their time and identifiers from; the system's by default. */
  readonly env?: (() => Env) | undefined
  /** How it waits between attempts to follow its store; the host's timers by default. */
  readonly timers?: Timers | undefined
  /** The word in its get header, and others that clients look for: `['Registry', 'Acme']`. */
  readonly words?: readonly [string, ...string[]] | undefined
  /** How large modules and their versions may become. What is loaded is not refused. */
  readonly limits?: { readonly [Name in keyof ModuleLimits]?: ModuleLimits[Name] | undefined } | undefined
  /**
   * `scheme://host`, and the path it is mounted below, that clients reach it at, for the addresses it hands out; what the
   * request says by default.
   */
  readonly baseUrl?: string | undefined
  /**
   * Makes the registry private: says who a bearer token belongs to, or `undefined` for an unknown one, which is answered
   * with 401. Discovery stays open. Off by default.
   */
  readonly authenticate?:
    | ((token: string | undefined) => Reader | undefined | Promise<Reader | undefined>)
    | undefined
  /**
   * Where the archives of modules are kept; a registry without a `store` keeps them in memory, too, and one with a `store`
   * publishes addresses only without them. A folder of their own: `await directoryBlobs(path)` of `plinth/node`.
   */
  readonly blobs?: Blobs | undefined
  /** How large archives may be. */
  readonly archives?: { readonly [Name in keyof ArchiveLimits]?: ArchiveLimits[Name] | undefined } | undefined
  /** Hashes tokens and signs addresses; `nodeCrypto()` of `plinth/node` by default. */
  readonly crypto?: CryptoPort | undefined
  /**
   * Returns the publisher for a bearer token that the registry did not create itself (`createToken`), or `undefined` to
   * refuse it.
   */
  readonly publishers?:
    | ((token: string) => Publisher | undefined | Promise<Publisher | undefined>)
    | undefined
  /** Where clients log in, for the discovery document: an OAuth 2.0 server of your own. */
  readonly login?: LoginService | undefined
  /**
   * Asked before each request: a number of seconds turns it away with 503 and `Retry-After`, `undefined` lets it pass.
   * For maintenance, and to shed load.
   */
  readonly turnAway?: ((exchange: Exchange) => number | undefined) | undefined
  /**
   * What a download answers: `header`, the protocol's 204 with a header, or to clients that accept nothing but JSON, 200
   * with a body that says the same; `both` answers every client with 200, header and body.
   */
  readonly download?: 'header' | 'both' | undefined
  /**
   * The address of a console for this service, for the page that a browser is shown at `/`; a function where it is known
   * only once everything listens.
   */
  readonly consoleUrl?: ConsoleUrl | undefined
  /** Hears of everything that happened, once it is stored. */
  readonly onEvent?: ((event: ServiceEvent<RegistryEvent>) => void) | undefined
  /**
   * Hears of every request over HTTP once it is answered, for access logs and metrics.
   * Who asked is the `name` of its reader.
   */
  readonly onRequest?: ((record: RequestRecord) => void) | undefined
  /** Hears of unforeseen errors; `id` is the reference that the caller was given, where there was one. */
  readonly onError?: ((error: unknown, id?: string) => void) | undefined
}

export const registryOptions: OptionNames<RegistryOptions> = {
  store: true,
  env: true,
  timers: true,
  words: true,
  limits: { charactersPerVersion: true, charactersPerModule: true },
  baseUrl: true,
  authenticate: true,
  turnAway: true,
  download: true,
  blobs: true,
  archives: { archiveBytes: true, expandedBytes: true, entries: true },
  crypto: true,
  publishers: true,
  login: true,
  consoleUrl: true,
  onEvent: true,
  onRequest: true,
  onError: true,
}
