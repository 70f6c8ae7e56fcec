import { foldName } from '../modules/names.ts'

/**
 * A publisher: the owner of a token.
 *
 * @public
 */
export interface Publisher {
  /** The name, for `onRequest`, and as the owner of new modules. */
  readonly name?: string | undefined
  /** The namespaces it may publish into; all by default. */
  readonly namespaces?: readonly string[] | undefined
  /** Whether it may make, list and remove tokens over HTTP; not by default. */
  readonly administrator?: boolean | undefined
}

/**
 * A token to make.
 *
 * @public
 */
export interface CreateTokenInput {
  /** Whose it is: 1 to 64 letters, digits, `-`, `_` and `.`. Several tokens may have one name. */
  readonly name: string
  /** The namespaces it may publish into; all by default. */
  readonly namespaces?: readonly string[] | undefined
  /** Whether it may make, list and remove tokens over HTTP, and publish everywhere; not by default. */
  readonly administrator?: boolean | undefined
  /** How long it lives, in milliseconds, at most ten years; without end by default. */
  readonly ttlMs?: number | undefined
}

/**
 * A token that may publish, as it is listed: without the token itself, which is not kept.
 *
 * @public
 */
export interface ListedToken extends Pick<CreateTokenInput, 'name' | 'namespaces'> {
  /** Names the token where it is removed; no secret. */
  readonly id: string
  readonly administrator: boolean
  /** When it was made, in milliseconds since the Unix epoch. */
  readonly createdAt: number
  /** When it ends, in milliseconds since the Unix epoch; absent where it does not. */
  readonly expiresAt?: number
}

/**
 * A token that was just made.
 *
 * @public
 */
export interface CreatedToken extends ListedToken {
  /** The secret, for `Authorization: Bearer`. It cannot be read again. */
  readonly token: string
}

/** Whether a publisher may publish into a namespace; the case of ASCII letters does not matter. */
export const mayPublish = ({ namespaces }: Publisher, namespace: string): boolean =>
  namespaces?.some((own) => foldName(own) === foldName(namespace)) ?? true
