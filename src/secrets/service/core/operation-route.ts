import { operationRoutes } from '../../../http/route.ts'
import type { SecretsContext } from './context.ts'

/** Declares a route of the secrets service by the operation that does its work. */
export const operationRoute = operationRoutes((context: SecretsContext) => context)
