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
}

/**
 * A token that may publish, as it is listed: without the token itself, which is not kept.
 *
 * @public
 */
export interface ListedToken extends CreateTokenInput {
  /** When it was made, in milliseconds since the Unix epoch. */
  readonly createdAt: number
}

/** Whether a publisher may publish into a namespace; the case of ASCII letters does not matter. */
export const mayPublish = ({ namespaces }: Publisher, namespace: string): boolean =>
  namespaces?.some((own) => foldName(own) === foldName(namespace)) ?? true
