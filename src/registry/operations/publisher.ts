import { foldName } from '../modules/names.ts'

/**
 * A publisher: the owner of a token.
 */
export interface Publisher {
  /** The name, for `onRequest`, and as the owner of new modules. */
  readonly name?: string | undefined
  /** The namespaces it may publish into; all by default. */
  readonly namespaces?: readonly string[] | undefined
  /** The namespaces it may read if the registry is private; all by default. */
  readonly reads?: readonly string[] | undefined
  /** Whether it can create, list and remove tokens over HTTP; not by default. */
  readonly administrator?: boolean | undefined
  /** Whether it is a person who signed in at the identity provider; not by default. */
  readonly signedIn?: boolean | undefined
}

/**
 * A token to create.
 */
export interface CreateTokenInput {
  /** Its owner: 1 to 64 letters, digits, `-`, `_` and `.`. Several tokens may have the same name. */
  readonly name: string
  /** The namespaces it may publish into; all by default. */
  readonly namespaces?: readonly string[] | undefined
  /** The namespaces it may read if the registry is private; all by default. It reads those it publishes into, too. */
  readonly reads?: readonly string[] | undefined
  /** Whether it publishes nowhere: for readers of a private registry (`authenticate: 'tokens'`); not by default. */
  readonly readOnly?: boolean | undefined
  /** Whether it can create, list and remove tokens over HTTP, and publish to all namespaces; not by default. */
  readonly administrator?: boolean | undefined
  /** The TTL in milliseconds, at most ten years; none by default. */
  readonly ttlMs?: number | undefined
}

/**
 * A publishing token as lists show it: without its secret, which is not stored. One that only reads has an empty list of
 * namespaces.
 */
export interface ListedToken extends Pick<CreateTokenInput, 'name' | 'namespaces' | 'reads'> {
  /** Identifies the token for its removal; not secret. */
  readonly id: string
  readonly administrator: boolean
  /** When it was created, in milliseconds since the Unix epoch. */
  readonly createdAt: number
  /** When it expires, in milliseconds since the Unix epoch; absent if it does not. */
  readonly expiresAt?: number
  /** When it was last used, to five minutes, in milliseconds since the Unix epoch; absent if it was not. */
  readonly lastUsedAt?: number
}

/**
 * A new token.
 */
export interface CreatedToken extends ListedToken {
  /** The secret, for `Authorization: Bearer`. It cannot be read again. */
  readonly token: string
}

/** Whether a publisher may publish into a namespace; the case of ASCII letters does not matter. */
export const mayPublish = ({ namespaces }: Publisher, namespace: string): boolean =>
  namespaces?.some((own) => foldName(own) === foldName(namespace)) ?? true
