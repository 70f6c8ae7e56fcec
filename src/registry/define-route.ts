import { operationRoutes } from '../http/route.ts'
import type { RegistryContext } from './context.ts'
import { forward } from './paths.ts'

/** The access that a caller needs, if it is not the right to read. */
export const access = {
  /** Nothing: discovery precedes authentication. */
  none: 'none',
  /** A token that may publish into the module's namespace. */
  publish: 'publish',
  /** The token of an administrator. */
  administer: 'administer',
  /** The right to read, or a ticket for one archive. */
  archive: 'archive',
} as const

/**
 * Declares a route of the registry by the operation that does its work. Requests for a module that has moved are
 * redirected.
 */
export const operationRoute = operationRoutes(
  ({ parts }: RegistryContext) => parts,
  (refused, { exchange }) => forward(refused, exchange),
)
