import { type Refused, refuse } from '../../../kernel/index.ts'
import type { Snapshot } from '../../../store/index.ts'
import type { Namespace } from '../../namespaces/model.ts'
import { bornNamespace, defaultNamespace } from '../../namespaces/rules.ts'
import { namespaceRecords } from '../../records/collections.ts'
import { indexed } from '../../records/tables.ts'
import type { Cluster } from '../cluster.ts'

/** One namespace; the default one always exists. */
export const namespaceAt = (now: Snapshot, name: string): Namespace | undefined =>
  indexed(namespaceRecords, now, name) ?? (name === defaultNamespace ? bornNamespace : undefined)

/** All namespaces in the order of their names. */
export function namespacesAt(now: Snapshot): readonly Namespace[] {
  const names = new Set(namespaceRecords.list(now).map(({ value }) => value.Name)).add(defaultNamespace)
  // Names are ASCII: the order of strings is that of their bytes.
  return [...names].sort().flatMap((name) => namespaceAt(now, name) ?? [])
}

/** The refusal of a job whose namespace does not exist, if it has to. */
export function unknownNamespace(
  { namespaces }: Pick<Cluster, 'namespaces'>,
  now: Snapshot,
  { ID, Namespace }: { readonly ID: string; readonly Namespace: string },
): Refused<'unknown_job_namespace'> | undefined {
  const isManaged =
    namespaces === undefined
      ? now.scan({ prefix: namespaceRecords.prefix, limit: 1 }).length > 0
      : namespaces === 'managed'
  return !isManaged || namespaceAt(now, Namespace) !== undefined
    ? undefined
    : refuse('unknown_job_namespace', `job "${ID}" is in nonexistent namespace "${Namespace}"`)
}
