import type { CryptoPort } from '../../crypto/index.ts'
import type { ConsoleUrl } from '../../http/index.ts'
import type { OptionNames } from '../../kernel/check-options.ts'
import type { Env, Timers } from '../../kernel/index.ts'
import type { Store } from '../../store/index.ts'
import type { IdpProvider } from '../idp/index.ts'
import type { ServerRole } from '../seal/index.ts'
import type { AuditDevice } from './audit/device.ts'
import type { SecretsEvent } from './events.ts'
import type { AuditRecord } from './request/audit.ts'

/**
 * What {@link createSecrets} takes; all of it has a default.
 *
 * @public
 */
export interface SecretsOptions {
  /**
   * Where everything is kept, each value sealed before it gets there; the service does not close it. By default a realm
   * in memory of its own: its values lie beside the keys while the service is open, and all of it is sealed
   * when the service is.
   */
  readonly store?: Store | undefined
  /** Time and identifiers; the system's by default. */
  readonly env?: (() => Env) | undefined
  /** How the service waits; the system's timers by default. */
  readonly timers?: Timers | undefined
  /** Randomness, digests and encryption; `node:crypto` by default. */
  readonly crypto?: CryptoPort | undefined
  /** The product word of header names and texts, then the other words that are accepted. */
  readonly words?: readonly [string, ...string[]] | undefined
  /** The word for the identity-provider method: type name, default mount, field and provider names. */
  readonly idpWords?: readonly [string, ...string[]] | undefined
  /** Who checks passwords and factors; the provider's HTTP API by default. */
  readonly idpProvider?: IdpProvider | undefined
  /** The part this server plays, for the health answer; `active` by default. */
  readonly role?: ServerRole | undefined
  /** Lets keys of key/value mounts end in a period, which is refused everywhere otherwise. */
  readonly kvTrailingPeriod?: boolean | undefined
  /** The largest request body in bytes; 32 MiB by default. */
  readonly maxBodyBytes?: number | undefined
  /**
   * How many bytes of request bodies may be in memory at once, of all requests together; 64 MiB by default. A request
   * whose body does not fit is answered 503 with `Retry-After`.
   */
  readonly maxBufferedBytes?: number | undefined
  /** The lease time of what asks for none, in seconds; 768 hours by default, or the longest where that is less. */
  readonly defaultLeaseTtlSeconds?: number | undefined
  /** The longest lease time, in seconds; 768 hours by default. */
  readonly maxLeaseTtlSeconds?: number | undefined
  /**
   * The address of a console for this service, for the page that a browser is shown at `/`; a function where it is known
   * only once everything listens.
   */
  readonly consoleUrl?: ConsoleUrl | undefined
  /** Hears of everything that changed, for audit and metrics; never of a secret. */
  readonly onEvent?: ((event: SecretsEvent) => void) | undefined
  /** Hears of every request that came over HTTP and reached the API, once it is answered: the audit log. */
  readonly onRequest?: ((record: AuditRecord) => void) | undefined
  /**
   * Where each request and each answer is written before the answer is given. Requests are refused with 500, and change
   * nothing, while none of the devices can be written; none by default.
   */
  readonly audit?: readonly AuditDevice[] | undefined
  /** Hears of unforeseen errors; `id` is what the caller was given. */
  readonly onError?: ((error: unknown, id?: string) => void) | undefined
}

export const secretsOptions: OptionNames<SecretsOptions> = {
  store: true,
  env: true,
  timers: true,
  crypto: true,
  words: true,
  idpWords: true,
  idpProvider: true,
  role: true,
  kvTrailingPeriod: true,
  maxBodyBytes: true,
  maxBufferedBytes: true,
  defaultLeaseTtlSeconds: true,
  maxLeaseTtlSeconds: true,
  consoleUrl: true,
  onEvent: true,
  onRequest: true,
  audit: true,
  onError: true,
}
