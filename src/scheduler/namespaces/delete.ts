import { type Env, type Outcome, refuse } from '../../kernel/index.ts'
import type { NamespaceSpec } from './model.ts'
import { defaultNamespace } from './rules.ts'

/**
 * A namespace was removed.
 */
export interface NamespaceDeleted {
  readonly type: 'namespace.deleted'
  readonly namespace: string
}

/**
 * Removes a namespace without live jobs and variables.
 *
 * @param namespace - the current namespace, if it exists
 * @param input - its name, whether it contains a job that is not dead, or variables, and the region that was searched
 *
 * @returns the namespace's name, or `default_namespace_kept`, `namespace_not_found`, `namespace_in_use`
 */
export function deleteNamespace(
  namespace: NamespaceSpec | undefined,
  {
    name,
    liveJobs,
    variables = false,
    region,
  }: {
    readonly name: string
    readonly liveJobs: boolean
    readonly variables?: boolean
    readonly region: string
  },
  _env?: Env,
): Outcome<
  NamespaceSpec | undefined,
  string,
  NamespaceDeleted,
  'default_namespace_kept' | 'namespace_not_found' | 'namespace_in_use'
> {
  if (name === defaultNamespace) return refuse('default_namespace_kept', 'can not delete default namespace')
  if (namespace === undefined) return refuse('namespace_not_found', 'Namespace not found')
  if (liveJobs)
    return refuse('namespace_in_use', `namespace "${name}" has non-terminal jobs in regions: [${region}]`)
  if (variables)
    return refuse('namespace_in_use', `namespace "${name}" has variables in regions: [${region}]`)
  return { ok: true, state: undefined, value: name, events: [{ type: 'namespace.deleted', namespace: name }] }
}
