import { StoreError, type StoreErrorCode } from '../port/errors.ts'

/** What etcd answered instead of a result: gRPC's code of the error, 0 for an answer that is not etcd's, and its text. */
export class EtcdError extends Error {
  readonly code: number

  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }
}

export const storeClosed = (): StoreError => new StoreError('closed', 'the store was closed')

/** No answer within the time limit. */
export class EtcdSilence extends Error {}

const cancelled = 1
const unanswered = 2
const deadlineExceeded = 4
const exhausted = 8
const unavailable = 14
export const unauthenticated = 16

/** `compacted` answers a read of a revision that etcd no longer keeps. */
const explained: readonly (readonly [is: RegExp, code: StoreErrorCode, says: string])[] = [
  [
    /space/,
    'disk_full',
    'etcd has reached its quota: nothing was written. Compact and defragment it, or raise --quota-backend-bytes, then disarm the alarm',
  ],
  [/revision has been compacted/, 'compacted', 'etcd no longer keeps the revision of this read: read again'],
  [
    /authentication failed|user name is empty|permission denied|invalid auth token/,
    'denied',
    'etcd refuses this user: check user and password, and its permission to read and write the prefix',
  ],
  [
    /authentication is not enabled/,
    'denied',
    'a user was given, but etcd has authentication disabled: omit user and password',
  ],
  [/request is too large/, 'unsuitable', 'etcd must accept requests of 1.5 MB: raise --max-request-bytes'],
  [/too many operations/, 'unsuitable', 'etcd must accept 128 operations: raise --max-txn-ops'],
]

const codeOf = (error: unknown): string =>
  typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : ''

/** TLS failed: certificates do not become right by waiting. */
const isTls = (error: unknown): boolean =>
  /^(ERR_TLS|ERR_SSL|ERR_OSSL|CERT_|EPROTO$|UNABLE_TO|SELF_SIGNED|DEPTH_ZERO)/.test(codeOf(error))

/** Whether another endpoint, or the same one later, may answer. A write may have been carried out. */
export const isPassing = (error: unknown): boolean =>
  error instanceof EtcdSilence ||
  (error instanceof EtcdError
    ? [cancelled, unanswered, deadlineExceeded, unavailable, unauthenticated].includes(error.code) ||
      (error.code === exhausted && error.message.includes('too many requests'))
    : !(error instanceof StoreError) && codeOf(error) !== '' && !isTls(error))

/** Describes an error of etcd; `where` is the endpoint. */
export function explain(error: unknown, where: string): StoreError {
  if (error instanceof StoreError) return error
  const text = error instanceof Error ? error.message : String(error)
  const known = explained.find(([is]) => is.test(text))
  if (known !== undefined) return new StoreError(known[1], `${known[2]} (${where}: ${text})`, error)
  if (isTls(error))
    return new StoreError(
      'denied',
      `TLS with ${where} failed: check tls.ca, and tls.cert and tls.key if etcd asks for a certificate (${text})`,
      error,
    )
  if (isPassing(error))
    return new StoreError(
      'unreachable',
      `etcd does not answer: check that it runs, that a majority of its members is there, and the endpoints (${where}: ${text})`,
      error,
    )
  return new StoreError('unsuitable', `etcd answered ${where}: ${text}`, error)
}
