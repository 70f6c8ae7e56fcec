import { collection } from '../../../store/index.ts'
import type { PolicyRecord } from '../../acl/index.ts'

/** Policies by namespace and name. Their mark rises with every change and validates compiled ones. */
export const policyRecords = collection<{ readonly namespace: string; readonly policy: PolicyRecord }>({
  name: 'policy',
  key: ({ namespace, policy }) => [namespace, policy.name],
})
