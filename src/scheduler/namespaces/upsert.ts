import { type Env, type Outcome, refuse } from '../../kernel/index.ts'
import { listProblems } from '../pools/rules.ts'
import type { NamespaceSpec } from './model.ts'
import { namespaceProblems } from './rules.ts'

/**
 * A namespace was written.
 */
export interface NamespaceUpserted {
  readonly type: 'namespace.upserted'
  readonly namespace: string
  /** Whether it did not exist before. */
  readonly created: boolean
}

/**
 * Creates or replaces a namespace completely: omitted fields are reset.
 *
 * @param namespace - the current namespace of that name, if it exists
 *
 * @returns the namespace's name, or `invalid_namespace` with every problem of its fields
 */
export function upsertNamespace(
  namespace: NamespaceSpec | undefined,
  input: NamespaceSpec,
  _env?: Env,
): Outcome<NamespaceSpec | undefined, string, NamespaceUpserted, 'invalid_namespace'> {
  const problems = namespaceProblems(input)
  if (problems.length > 0)
    return refuse(
      'invalid_namespace',
      `invalid namespace ${JSON.stringify(input.Name)}: ${listProblems(problems)}`,
    )
  const event: NamespaceUpserted = {
    type: 'namespace.upserted',
    namespace: input.Name,
    created: namespace === undefined,
  }
  return { ok: true, state: Object.assign({}, input), value: input.Name, events: [event] }
}
