import type { CryptoPort } from '../crypto/index.ts'
import type { ConsoleUrl, Exchange, RequestRecord } from '../http/index.ts'
import type { OptionNames } from '../kernel/check-options.ts'
import type { Env, Timers } from '../kernel/index.ts'
import type { TrustRule } from '../oidc/index.ts'
import type { Blobs, Store } from '../store/index.ts'
import type { WebhookSender } from '../webhooks/model.ts'
import type { ArchiveLimits } from './archive/entry.ts'
import type { LoginService } from './login-service.ts'
import type { RegistryReport } from './modules/events.ts'
import type { Publisher } from './operations/publisher.ts'
import type { Reader } from './operations/reader.ts'
import type { SignInOptions } from './sign-in-options.ts'
import type { Upstream } from './upstream.ts'
import type { ModuleLimits } from './versions/limits.ts'

/**
 * The options of a registry.
 */
export interface RegistryOptions {
  /** Stores the records, one registry per store; a new memory store by default. */
  readonly store?: Store | undefined
  /**
   * How long a call of a store outside this process may make no progress, in milliseconds; 30 s by default. Requests that
   * wait for it are answered 503 then, and `close` ends.
   */
  readonly storeTimeoutMs?: number | undefined
  /** The clock and the source of identifiers; the system's by default. */
  readonly env?: (() => Env) | undefined
  /** Timers for retries; the host's by default. */
  readonly timers?: Timers | undefined
  /** More words in its get header, beside those that it always sends: `Registry` and `Terraform`. */
  readonly words?: readonly string[] | undefined
  /** Size limits of modules and versions. Loaded records are not limited. */
  readonly limits?: { readonly [Name in keyof ModuleLimits]?: ModuleLimits[Name] | undefined } | undefined
  /**
   * How many versions of a module are kept, the highest ones and the latest, where its namespace has no rule of its own
   * (`putQuota`): the hourly sweep removes the others. All by default.
   */
  readonly keepVersions?: number | undefined
  /**
   * Sends webhooks, which administrators manage: `webhookSender()` of `plinth/node`. Messages are stored in the commit of
   * the change, and sent again for half a day. None are sent by default.
   */
  readonly webhooks?: WebhookSender | undefined
  /**
   * The public `scheme://host` and base path, for the URLs in answers; derived from the request by default.
   */
  readonly baseUrl?: string | undefined
  /**
   * Makes the registry private: returns the reader of a request by its token, session or certificate, or `undefined`,
   * which is answered with 401. It is called with the request without its body. With `'tokens'`, every token of the
   * registry (`createToken`) or of `publishers` reads all modules. Discovery stays public. Off by default.
   */
  readonly authenticate?:
    | 'tokens'
    | ((request: Request) => Reader | undefined | Promise<Reader | undefined>)
    | undefined
  /**
   * Stores the archives of modules. A registry without a `store` keeps them in memory too; one with a `store` but
   * without `blobs` publishes URLs only. Use a separate folder: `await directoryBlobs(path)` of `plinth/node`.
   */
  readonly blobs?: Blobs | undefined
  /**
   * Another registry: a module that is not here is copied from there once it is asked for, and kept. Not asked for the
   * namespaces in which something was published here. Needs `blobs`.
   */
  readonly upstream?: Upstream | undefined
  /** How large archives may be. */
  readonly archives?: { readonly [Name in keyof ArchiveLimits]?: ArchiveLimits[Name] | undefined } | undefined
  /** How long changes are kept in the audit trail, in milliseconds; 400 days by default. */
  readonly keepAuditMs?: number | undefined
  /** Hashes tokens and signs addresses; `nodeCrypto()` of `plinth/node` by default. */
  readonly crypto?: CryptoPort | undefined
  /**
   * Returns the publisher for a bearer token that the registry did not create itself (`createToken`), or `undefined` to
   * refuse it.
   */
  readonly publishers?:
    | ((token: string) => Publisher | undefined | Promise<Publisher | undefined>)
    | undefined
  /**
   * The identity provider at which people sign in (`terraform login`): its groups decide into which namespaces they publish.
   */
  readonly oidc?: SignInOptions | undefined
  /**
   * Rules by which CI jobs publish with the OpenID Connect tokens of their provider, such as GitHub Actions and GitLab; none
   * by default.
   */
  readonly trust?: readonly TrustRule[] | undefined
  /** Asks identity providers for keys and tokens; the global `fetch` by default. */
  readonly fetch?: typeof fetch | undefined
  /** The OAuth 2.0 server for `terraform login`, for the discovery document, if it is not this registry (`oidc`). */
  readonly login?: LoginService | undefined
  /**
   * Called before each request: a number of seconds refuses it with 503 and `Retry-After`, `undefined` lets it pass.
   * For maintenance, and to shed load.
   */
  readonly turnAway?: ((exchange: Exchange) => number | undefined) | undefined
  /**
   * The answer to a download: `header`, the protocol's 204 with a header, or 200 with an equivalent body for clients
   * that accept only JSON; `both` always answers 200 with header and body.
   */
  readonly download?: 'header' | 'both' | undefined
  /**
   * The URL of a console for this service, for the page at `/` in a browser; a function if it is known only once all
   * listeners are ready.
   */
  readonly consoleUrl?: ConsoleUrl | undefined
  /** Called for every event once it is stored. */
  readonly onEvent?: ((event: RegistryReport) => void) | undefined
  /**
   * Called for every HTTP request once it is answered, for access logs and metrics. The caller is the `name` of its
   * reader.
   */
  readonly onRequest?: ((record: RequestRecord) => void) | undefined
  /** Called for unexpected errors; `id` is the reference in the caller's answer, if there was one. */
  readonly onError?: ((error: unknown, id?: string) => void) | undefined
}

export const registryOptions: OptionNames<RegistryOptions> = {
  store: true,
  storeTimeoutMs: true,
  env: true,
  timers: true,
  words: true,
  limits: {
    charactersPerVersion: true,
    charactersPerModule: true,
    bytesPerNamespace: true,
    modulesPerNamespace: true,
    versionsPerNamespace: true,
  },
  keepVersions: true,
  webhooks: { problem: true, post: true },
  baseUrl: true,
  authenticate: true,
  turnAway: true,
  download: true,
  blobs: true,
  upstream: true,
  archives: { archiveBytes: true, expandedBytes: true, entries: true },
  keepAuditMs: true,
  crypto: true,
  publishers: true,
  oidc: { issuer: true, clientId: true, clientSecret: true, groups: true, tokenTtlMs: true },
  trust: true,
  fetch: true,
  login: true,
  consoleUrl: true,
  onEvent: true,
  onRequest: true,
  onError: true,
}
