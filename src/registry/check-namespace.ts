import type { Call } from '../http/index.ts'
import { type Refused, refuse } from '../kernel/index.ts'
import type { RegistryContext } from './context.ts'
import { mayPublish } from './operations/publisher.ts'

/** Refuses callers without the right to publish into the namespace. */
export const checkNamespace = ({
  context,
  params,
}: Pick<Call<RegistryContext, { readonly namespace: string }, unknown>, 'context' | 'params'>):
  | Refused<'namespace_forbidden'>
  | undefined =>
  mayPublish(context.publisher ?? { namespaces: [] }, params.namespace)
    ? undefined
    : refuse('namespace_forbidden', `this token may not publish into the namespace ${params.namespace}`)
