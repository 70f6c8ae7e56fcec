import type { OptionNames } from '../../kernel/check-options.ts'
import type { Timers } from '../../kernel/index.ts'

/**
 * Certificates in PEM for `https:` endpoints.
 */
export interface EtcdTls {
  /** The authorities that signed the certificates of the endpoints, if the system does not trust them. */
  readonly ca?: string | undefined
  /** The certificate of this client, with `key`. */
  readonly cert?: string | undefined
  /** The private key of that certificate. */
  readonly key?: string | undefined
}

/**
 * Options of {@link etcdStore}.
 */
export interface EtcdOptions {
  /** The realm below the prefix; each service has its own, and realms commit independently of one another. */
  readonly realm: string
  /** What all keys of all realms begin with, before a slash; `plinth` by default. */
  readonly prefix?: string | undefined
  /** The user, if the cluster has authentication enabled: it needs `readwrite` on the prefix. */
  readonly user?: string | undefined
  /** The password of that user. */
  readonly password?: string | undefined
  /** Certificates, for `https:` endpoints. */
  readonly tls?: EtcdTls | undefined
  /** How long an endpoint may be silent, in milliseconds, before the next one is asked; 2 s by default. */
  readonly requestMs?: number | undefined
  /**
   * How long, in milliseconds, a call waits for a cluster that is unavailable before it fails as `unreachable`, or a
   * commit as `unknown`; 7 s by default.
   */
  readonly settleMs?: number | undefined
  /** How often a waiting `changes` asks although its watch tells of nothing, in milliseconds; 1 s by default. */
  readonly pollMs?: number | undefined
  /** How many commits are remembered for followers and for repeated ids; 100,000 by default. */
  readonly remember?: { readonly commits?: number | undefined } | undefined
  /**
   * How long etcd keeps superseded revisions, in milliseconds; 5 minutes by default. `false` leaves compaction, which
   * affects the whole cluster, to others.
   */
  readonly compactMs?: number | false | undefined
  /** Called when the store is opened, with what weakens it, such as an endpoint that does not answer. */
  readonly onWarning?: ((message: string) => void) | undefined
  /** How the store waits; the host's timers by default. */
  readonly timers?: Timers | undefined
}

export const etcdOptions: OptionNames<EtcdOptions> = {
  realm: true,
  prefix: true,
  user: true,
  password: true,
  tls: { ca: true, cert: true, key: true },
  requestMs: true,
  settleMs: true,
  pollMs: true,
  remember: { commits: true },
  compactMs: true,
  onWarning: true,
  timers: true,
}

/** The addresses of endpoints, checked. */
export function addressesOf(endpoints: readonly string[]): readonly URL[] {
  const wrong = new TypeError("endpoints must be addresses, as in ['http://10.0.0.1:2379']")
  if (!Array.isArray(endpoints) || endpoints.length === 0) throw wrong
  return endpoints.map((each) => {
    if (!URL.canParse(each) || !/^https?:$/.test(new URL(each).protocol)) throw wrong
    return new URL(each)
  })
}
