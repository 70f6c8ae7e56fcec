import type { CryptoPort } from '../../../crypto/index.ts'
import type { ConsoleUrl } from '../../../http/index.ts'
import type { OptionNames } from '../../../kernel/check-options.ts'
import type { Env, Timers } from '../../../kernel/index.ts'
import type { Store } from '../../../store/index.ts'
import type { IdpProvider } from '../../idp/index.ts'
import type { ServerRole } from '../../seal/index.ts'
import type { AuditDevice, AuditTarget, OpenedAuditSink } from './audit-device.ts'
import type { AuditRecord } from './audit-record.ts'
import type { SecretsEvent } from './events.ts'
import type { StaticSeal } from './static-seal.ts'

/**
 * The rights of a caller that your own code has authenticated.
 */
export interface SecretsRights {
  /** The names of its policies. */
  readonly policies: readonly string[]
  /** Its name in the audit log. */
  readonly displayName?: string | undefined
  /** The path of the namespace that has the policies, such as `team/`; the root by default. */
  readonly namespace?: string | undefined
}

/**
 * The options of {@link createSecrets}; all have defaults.
 */
export interface SecretsOptions {
  /**
   * Stores everything, each value sealed before it reaches the store; the service does not close it. The default is a
   * private in-memory realm: its values are beside the keys while the service is unsealed, and all of it is sealed
   * together with the service.
   */
  readonly store?: Store | undefined
  /**
   * How long a call of a store outside this process may make no progress, in milliseconds; 30 s by default. Requests that
   * wait for it are answered 503 then.
   */
  readonly storeTimeoutMs?: number | undefined
  /** The clock and the source of identifiers; the system's by default. */
  readonly env?: (() => Env) | undefined
  /** Timers; the system's by default. */
  readonly timers?: Timers | undefined
  /** Randomness, digests and encryption; `node:crypto` by default. */
  readonly crypto?: CryptoPort | undefined
  /** More product words of header names, beside those it always accepts: `Secrets` and `Vault`. */
  readonly words?: readonly string[] | undefined
  /** The word for the identity-provider method: type name, default mount, field and provider names. */
  readonly idpWords?: readonly [string, ...string[]] | undefined
  /** Checks passwords and factors; the provider's HTTP API by default. */
  readonly idpProvider?: IdpProvider | undefined
  /** Asks the identity providers of `jwt` and `oidc` methods for keys and tokens; the global `fetch` by default. */
  readonly fetch?: typeof fetch | undefined
  /**
   * The version of the original that this service reports (`sys/health`, `sys/seal-status`, mounts): clients switch
   * features by it. `1.13.0` by default, whose features are here.
   */
  readonly version?: string | undefined
  /**
   * The key of an unattended unseal: `seal.unsealStatic` and the initialisation unseal with it, without key shares. Those
   * still unseal, too. Data that was sealed before is sealed with the current key as well, once it is unsealed.
   */
  readonly staticSeal?: StaticSeal | undefined
  /** The role of this server, for the health answer; `active` by default. */
  readonly role?: ServerRole | undefined
  /** Allows keys of key/value mounts to end in a period, which is refused otherwise. */
  readonly kvTrailingPeriod?: boolean | undefined
  /** The largest request body in bytes; 32 MiB by default. */
  readonly maxBodyBytes?: number | undefined
  /**
   * How many bytes of request bodies may be in memory at once, of all requests together; 64 MiB by default. A request
   * whose body does not fit is answered 503 with `Retry-After`.
   */
  readonly maxBufferedBytes?: number | undefined
  /** The default lease time in seconds; 768 hours by default, or the maximum if that is less. */
  readonly defaultLeaseTtlSeconds?: number | undefined
  /** The longest lease time, in seconds; 768 hours by default. */
  readonly maxLeaseTtlSeconds?: number | undefined
  /**
   * The URL of a console for this service, for the page at `/` in a browser; a function if it is known only once all
   * listeners are ready.
   */
  readonly consoleUrl?: ConsoleUrl | undefined
  /**
   * Returns the rights of a request by your own session, cookie or certificate; `undefined` leaves the request to its
   * token. It is called before tokens are read, with the request without its body.
   */
  readonly authenticate?:
    | ((request: Request) => SecretsRights | undefined | Promise<SecretsRights | undefined>)
    | undefined
  /** Called for every change, for audit and metrics; never contains a secret. */
  readonly onEvent?: ((event: SecretsEvent) => void) | undefined
  /** Called for every HTTP request that reached the API, once it is answered: the audit log. */
  readonly onRequest?: ((record: AuditRecord) => void) | undefined
  /**
   * The audit devices: each request and each response is written before the response is sent. While no device can be
   * written, requests are refused with 500 and change nothing; none by default.
   */
  readonly audit?: readonly AuditDevice[] | undefined
  /**
   * Opens the file or socket of an audit device that is enabled over HTTP (`PUT sys/audit/:path`), such as `openLines` of
   * `plinth/node`. Without it, enabling devices over HTTP is refused.
   */
  readonly openAuditSink?: ((target: AuditTarget) => Promise<OpenedAuditSink>) | undefined
  /** Called for unexpected errors; `id` is the reference in the caller's answer. */
  readonly onError?: ((error: unknown, id?: string) => void) | undefined
}

export const secretsOptions: OptionNames<SecretsOptions> = {
  store: true,
  storeTimeoutMs: true,
  env: true,
  timers: true,
  crypto: true,
  words: true,
  idpWords: true,
  idpProvider: true,
  fetch: true,
  version: true,
  staticSeal: true,
  role: true,
  kvTrailingPeriod: true,
  maxBodyBytes: true,
  maxBufferedBytes: true,
  defaultLeaseTtlSeconds: true,
  maxLeaseTtlSeconds: true,
  consoleUrl: true,
  onEvent: true,
  onRequest: true,
  authenticate: true,
  audit: true,
  openAuditSink: true,
  onError: true,
}
