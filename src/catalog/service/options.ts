import type { CryptoPort } from '../../crypto/index.ts'
import type { ConsoleUrl, Exchange, RequestRecord } from '../../http/index.ts'
import type { OptionNames } from '../../kernel/check-options.ts'
import type { Env, Instant, Timers } from '../../kernel/index.ts'
import { nodeHashing } from '../../store/blobs/node-hashing.ts'
import { type Blobs, memoryBlobs, type Store } from '../../store/index.ts'
import type { SizeLimits } from '../boxes/limits.ts'
import type { CatalogReport } from '../events.ts'
import type { UploadPolicy } from '../uploads/policy.ts'

/**
 * Carries a two-factor code to its user.
 *
 * @returns what the user is told about where it went, nothing that gives the destination away:
 * `{ obfuscatedDestination: 'SMS number ending in 1234' }`; without it, the account's number is masked.
 *
 * @public
 */
export type DeliverCode = (message: {
  readonly username: string
  readonly method: 'sms'
  /** The account's number; null when it has none on file. */
  readonly phone: string | null
  readonly code: string
}) => Promise<{ readonly obfuscatedDestination: string } | undefined>

/**
 * Whether a request may pass, and what its rate-limit headers say.
 *
 * @public
 */
export interface RateVerdict {
  readonly allowed: boolean
  /** Requests per window. */
  readonly limit: number
  /** How many are left in this window. */
  readonly remaining: number
  /** When the window ends. */
  readonly resetAt: Instant
}

/**
 * Counts requests; see {@link fixedWindow}.
 *
 * @public
 */
export type RateLimiter = (client: string, now: Instant) => RateVerdict | Promise<RateVerdict>

/**
 * What a catalog is made of.
 *
 * @public
 */
export interface CatalogOptions {
  /** Where its records live, one catalog per store; a fresh memory store by default. */
  readonly store?: Store | undefined
  /**
   * Where uploaded images live; in memory by default, as the records then do. A catalog with a `store` is given both, so
   * that images never die before their records: `await directoryBlobs(path)` of `plinth/node`.
   */
  readonly blobs?: Blobs | undefined
  /** Where commands get their time and identifiers from; the system's by default. */
  readonly env?: (() => Env) | undefined
  /** How it waits between sweeps, and between attempts to follow its store; the host's timers by default. */
  readonly timers?: Timers | undefined
  /** Hashes passwords and tokens, and makes secrets; `nodeCrypto()` of `plinth/node` by default. */
  readonly crypto?: CryptoPort | undefined
  /** The word in its legacy token header, and others that clients use: `['Legacy', 'Acme']`. */
  readonly words?: readonly [string, ...string[]] | undefined
  /**
   * `scheme://host`, and the path it is mounted below, that clients reach it at, for the addresses it hands out; what the
   * request says by default.
   */
  readonly baseUrl?: string | undefined
  /** How long uploads may take. */
  readonly uploads?: { readonly [Name in keyof UploadPolicy]?: UploadPolicy[Name] | undefined } | undefined
  /** How large boxes may become, and how many there may be. What is loaded is not measured. */
  readonly limits?: { readonly [Name in keyof SizeLimits]?: SizeLimits[Name] | undefined } | undefined
  /** The largest image that may be uploaded, in bytes; no limit by default. */
  readonly maxImageBytes?: number | undefined
  /**
   * Whether uploaded bytes must have the checksum that their provider names; true by default. The service this one
   * follows trusts what it is told, and leaves it to clients to find out.
   */
  readonly verifyChecksums?: boolean | undefined
  /** Carries two-factor codes; without it only authenticator apps work. */
  readonly deliverCode?: DeliverCode | undefined
  /** Counts requests per client; no limit, and no rate-limit headers, by default. */
  readonly limiter?: RateLimiter | undefined
  /** Says whom the limiter counts; the peer's address by default. */
  readonly clientOf?: ((exchange: Exchange) => string) | undefined
  /**
   * Asked before each request: a number of seconds turns it away with 503 and `Retry-After`, `undefined` lets it pass.
   * For maintenance, and to shed load.
   */
  readonly turnAway?: ((exchange: Exchange) => number | undefined) | undefined
  /**
   * How many bytes of request bodies may be in memory at once, of all requests together; 64 MiB by default. A request
   * whose body does not fit is answered 503 with `Retry-After`. Uploads are streamed, and do not count.
   */
  readonly maxBufferedBytes?: number | undefined
  /**
   * The address of a console for this service, for the page that a browser is shown at `/`; a function where it is known
   * only once everything listens.
   */
  readonly consoleUrl?: ConsoleUrl | undefined
  /** Hears of everything that happened, once it is stored; of a download at once. */
  readonly onEvent?: ((event: CatalogReport) => void) | undefined
  /**
   * Hears of every request over HTTP once it is answered, for access logs and metrics.
   * Who asked is a username. The secret in an upload's path is left out.
   */
  readonly onRequest?: ((record: RequestRecord) => void) | undefined
  /** Hears of unforeseen errors; `id` is the reference that the caller was given, where there was one. */
  readonly onError?: ((error: unknown, id?: string) => void) | undefined
}

export const catalogOptions: OptionNames<CatalogOptions> = {
  store: true,
  blobs: true,
  env: true,
  timers: true,
  crypto: true,
  words: true,
  baseUrl: true,
  uploads: { beginWithinSeconds: true, finalizeWithinSeconds: true, repeatWithinSeconds: true },
  limits: { boxesPerOwner: true, charactersPerVersion: true, charactersPerBox: true },
  maxImageBytes: true,
  verifyChecksums: true,
  deliverCode: true,
  limiter: true,
  clientOf: true,
  turnAway: true,
  maxBufferedBytes: true,
  consoleUrl: true,
  onEvent: true,
  onRequest: true,
  onError: true,
}

/** Where a catalog keeps its images: where it is told, or in memory beside records that are there too. */
export function blobsOf({ store, blobs }: CatalogOptions): Blobs {
  if (blobs === undefined && store === undefined) return memoryBlobs(nodeHashing)
  // Programs without types can give something else, and would hear of it at the first upload.
  if (typeof blobs?.put === 'function') return blobs
  const give = 'give await directoryBlobs(path) of plinth/node, or memoryBlobs(nodeHashing) of plinth/store'
  throw new TypeError(
    blobs === undefined
      ? `blobs is missing: images must not die before the records in store, so ${give}`
      : `blobs is no blob store: ${give}`,
  )
}
