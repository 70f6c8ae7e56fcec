import type { CryptoPort } from '../../crypto/index.ts'
import type { ConsoleUrl, Exchange, RequestRecord } from '../../http/index.ts'
import type { OptionNames } from '../../kernel/check-options.ts'
import type { Env, Instant, Timers } from '../../kernel/index.ts'
import type { TrustRule } from '../../oidc/index.ts'
import { nodeHashing } from '../../store/blobs/node-hashing.ts'
import { type Blobs, memoryBlobs, type Store } from '../../store/index.ts'
import type { WebhookSender } from '../../webhooks/model.ts'
import type { SizeLimits } from '../boxes/limits.ts'
import type { CatalogReport } from '../events.ts'
import type { UploadPolicy } from '../uploads/policy.ts'

/**
 * Carries a two-factor code to its user.
 *
 * @returns a description of the destination for the user, without revealing it:
 * `{ obfuscatedDestination: 'SMS number ending in 1234' }`; by default, the account's number is masked.
 */
export type DeliverCode = (message: {
  readonly username: string
  readonly method: 'sms'
  /** The account's number; null if it has none. */
  readonly phone: string | null
  readonly code: string
}) => Promise<{ readonly obfuscatedDestination: string } | undefined>

/**
 * Whether a request may pass, and its rate-limit headers.
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
 */
export type RateLimiter = (client: string, now: Instant) => RateVerdict | Promise<RateVerdict>

/**
 * A user that your own code has authenticated.
 */
export interface CatalogRights {
  readonly username: string
  /** Whether the user may do everything; not by default. */
  readonly administrator?: boolean | undefined
}

/**
 * Someone without an account in the catalog, for whom another service vouches.
 */
export interface CatalogGuest {
  /** The name, for the audit trail. */
  readonly name: string
  /** What the guest may do. */
  readonly role: 'reader' | 'publisher'
  /** The accounts whose boxes it is for; all by default. */
  readonly owners?: readonly string[] | undefined
  /** Whether the guest reads the boxes of all other accounts, too, private ones included; not by default. */
  readonly readsAll?: boolean | undefined
}

/**
 * The options of a catalog.
 */
export interface CatalogOptions {
  /** Stores the records, one catalog per store; a new memory store by default. */
  readonly store?: Store | undefined
  /**
   * How long a call of a store outside this process may make no progress, in milliseconds; 30 s by default. Requests that
   * wait for it are answered 503 then, and `close` ends.
   */
  readonly storeTimeoutMs?: number | undefined
  /**
   * Stores uploaded images; in memory by default, like the records. A catalog with a `store` needs both, so that images
   * live as long as their records: `await directoryBlobs(path)` of `plinth/node`.
   */
  readonly blobs?: Blobs | undefined
  /** The clock and the source of identifiers; the system's by default. */
  readonly env?: (() => Env) | undefined
  /** Timers for sweeps and retries; the host's by default. */
  readonly timers?: Timers | undefined
  /** Hashes passwords and tokens, and generates secrets; `nodeCrypto()` of `plinth/node` by default. */
  readonly crypto?: CryptoPort | undefined
  /** More words in its legacy token header, beside those that it always reads: `Legacy` and `Atlas`. */
  readonly words?: readonly string[] | undefined
  /**
   * The public `scheme://host` and base path, for the URLs in answers; derived from the request by default.
   */
  readonly baseUrl?: string | undefined
  /** How long uploads may take. */
  readonly uploads?: { readonly [Name in keyof UploadPolicy]?: UploadPolicy[Name] | undefined } | undefined
  /** Limits on sizes and numbers. Loaded records are not limited. */
  readonly limits?: { readonly [Name in keyof SizeLimits]?: SizeLimits[Name] | undefined } | undefined
  /**
   * How many active versions of a box are kept, the highest ones, where its owner has no rule of its own (`putQuota`): the
   * hourly sweep deletes released versions below them. All by default.
   */
  readonly keepVersions?: number | undefined
  /**
   * Sends webhooks, which administrators manage: `webhookSender()` of `plinth/node`. Messages are stored in the commit of
   * the change, and sent again for half a day. None are sent by default.
   */
  readonly webhooks?: WebhookSender | undefined
  /** The largest image that may be uploaded, in bytes; no limit by default. */
  readonly maxImageBytes?: number | undefined
  /**
   * Whether uploaded bytes must match the checksum that their provider declares; true by default. The original service
   * does not check, and leaves it to clients.
   */
  readonly verifyChecksums?: boolean | undefined
  /** How long changes are kept in the audit trail, in milliseconds; 400 days by default. */
  readonly keepAuditMs?: number | undefined
  /**
   * Rules by which CI jobs publish with the OpenID Connect tokens of their provider, such as GitHub Actions and GitLab;
   * `namespaces` are accounts. None by default.
   */
  readonly trust?: readonly TrustRule[] | undefined
  /** Asks the identity providers of trust rules for their keys; the global `fetch` by default. */
  readonly fetch?: typeof fetch | undefined
  /**
   * Returns the guest of a token that is not of this catalog, such as one of a registry at which people sign in with the
   * identity provider of their company; `undefined` for an unknown one.
   */
  readonly guests?: ((token: string) => Promise<CatalogGuest | undefined>) | undefined
  /** Carries two-factor codes; without it only authenticator apps work. */
  readonly deliverCode?: DeliverCode | undefined
  /** Counts requests per client; no limit, and no rate-limit headers, by default. */
  readonly limiter?: RateLimiter | undefined
  /** The key that the rate limiter counts by; the peer's address by default. */
  readonly clientOf?: ((exchange: Exchange) => string) | undefined
  /**
   * Called before each request: a number of seconds refuses it with 503 and `Retry-After`, `undefined` lets it pass.
   * For maintenance, and to shed load.
   */
  readonly turnAway?: ((exchange: Exchange) => number | undefined) | undefined
  /**
   * How many bytes of request bodies may be in memory at once, of all requests together; 64 MiB by default. A request
   * whose body does not fit is answered 503 with `Retry-After`. Uploads are streamed, and do not count.
   */
  readonly maxBufferedBytes?: number | undefined
  /**
   * The URL of a console for this service, for the page at `/` in a browser; a function if it is known only once all
   * listeners are ready.
   */
  readonly consoleUrl?: ConsoleUrl | undefined
  /**
   * Returns the user of a request by your own session, cookie or certificate; `undefined` leaves the request to its
   * token. It is called before tokens are read, with the request without its body.
   */
  readonly authenticate?:
    | ((request: Request) => CatalogRights | undefined | Promise<CatalogRights | undefined>)
    | undefined
  /** Called for every event once it is stored; for a download immediately. */
  readonly onEvent?: ((event: CatalogReport) => void) | undefined
  /**
   * Called for every HTTP request once it is answered, for access logs and metrics. The caller is a username. The
   * secret in an upload's path is omitted.
   */
  readonly onRequest?: ((record: RequestRecord) => void) | undefined
  /** Called for unexpected errors; `id` is the reference in the caller's answer, if there was one. */
  readonly onError?: ((error: unknown, id?: string) => void) | undefined
}

export const catalogOptions: OptionNames<CatalogOptions> = {
  store: true,
  storeTimeoutMs: true,
  blobs: true,
  env: true,
  timers: true,
  crypto: true,
  words: true,
  baseUrl: true,
  uploads: { beginWithinSeconds: true, finalizeWithinSeconds: true, repeatWithinSeconds: true },
  limits: {
    boxesPerOwner: true,
    bytesPerOwner: true,
    versionsPerOwner: true,
    charactersPerVersion: true,
    charactersPerBox: true,
  },
  keepVersions: true,
  webhooks: { problem: true, post: true },
  maxImageBytes: true,
  verifyChecksums: true,
  keepAuditMs: true,
  trust: true,
  fetch: true,
  guests: true,
  deliverCode: true,
  limiter: true,
  clientOf: true,
  turnAway: true,
  maxBufferedBytes: true,
  consoleUrl: true,
  onEvent: true,
  onRequest: true,
  authenticate: true,
  onError: true,
}

/** The blob store of a catalog: the given one, or memory if the records are in memory too. */
export function blobsOf({ store, blobs }: CatalogOptions): Blobs {
  if (blobs === undefined && store === undefined) return memoryBlobs(nodeHashing)
  // Callers without types can pass another value, which would fail only at the first upload.
  if (typeof blobs?.put === 'function') return blobs
  const give =
    'pass await directoryBlobs(path) of plinth/node, or memoryBlobs(nodeHashing), of plinth/store and plinth/node'
  throw new TypeError(
    blobs === undefined
      ? `blobs is missing: images must live as long as the records in store, so ${give}`
      : `blobs is not a blob store: ${give}`,
  )
}
