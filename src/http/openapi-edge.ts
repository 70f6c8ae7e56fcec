import type { ErrorDialect } from './dialects.ts'
import type { Route } from './route.ts'
import type { Words } from './words.ts'

/**
 * An authentication scheme in OpenAPI terms.
 */
export type SecurityScheme =
  | { readonly type: 'http'; readonly scheme: string; readonly description?: string }
  | {
      readonly type: 'apiKey'
      readonly in: 'header' | 'query' | 'cookie'
      readonly name: string
      readonly description?: string
    }

/**
 * How callers of a service authenticate, for its documentation.
 */
export interface Credentials<Context> {
  /** The alternative schemes by name: any one of them is sufficient. */
  readonly schemes: Readonly<Record<string, SecurityScheme>>
  /** Whether a route requires authentication; all routes by default. */
  readonly asked?: ((route: Route<Context>) => 'always' | 'sometimes' | 'never') | undefined
  /** The refusals of unauthorised callers, in addition to those of the routes. */
  readonly refusals?: readonly string[] | undefined
}

/**
 * What a service adds around its routes, for its document.
 */
export interface OpenApiEdge<Context> {
  /** Refusal → status; without it refusals have no status of their own. */
  readonly statusOf?: Readonly<Record<string, number | undefined>> | undefined
  /** The format of errors. */
  readonly dialect?: ErrorDialect | undefined
  /** The product words of header names. */
  readonly words?: Words | undefined
  /** How callers authenticate. */
  readonly credentials?: Credentials<Context> | undefined
}

/** Whether a route requires authentication. */
export const askedOf = <Context>(
  credentials: Credentials<Context> | undefined,
  route: Route<Context>,
): 'always' | 'sometimes' | 'never' =>
  credentials === undefined ? 'never' : (credentials.asked?.(route) ?? 'always')
