import { collection, prefixOf, type Snapshot, type Tx } from '../../../store/index.ts'
import { wrappingPolicyText } from '../../acl/built-in.ts'
import { defaultPolicyText, type PolicyRecord } from '../../acl/index.ts'
import { wrappingPolicyName } from '../../acl/policy-names.ts'
import type { Concept, Namespace } from '../core/core.ts'

/** Policies by namespace and name. Their mark rises with every change and validates compiled ones. */
export const policyRecords = collection<{ readonly namespace: string; readonly policy: PolicyRecord }>({
  name: 'policy',
  key: ({ namespace, policy }) => [namespace, policy.name],
})

/** Whether a policy of that name is stored in a namespace, or built in. */
export const policyExists = (now: Snapshot, namespace: Namespace, name: string): boolean =>
  name === 'root' || policyRecords.get(now, namespace.id, name) !== undefined

/** Writes the initial policies of a namespace. */
export function plantPolicies(tx: Tx, namespace: Namespace, now: number): void {
  for (const [name, text] of [
    ['default', defaultPolicyText],
    [wrappingPolicyName, wrappingPolicyText],
  ] as const)
    tx.put(policyRecords, { namespace: namespace.id, policy: { name, text, updatedAt: now } })
}

export const policies: Concept = {
  held: [policyRecords],
  ofNamespace: (id) => [prefixOf(policyRecords.name, id)],
}
