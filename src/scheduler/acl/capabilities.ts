/**
 * The capabilities of a policy in a namespace.
 */
export const namespaceCapabilities = [
  'deny',
  'list-jobs',
  'parse-job',
  'read-job',
  'submit-job',
  'dispatch-job',
  'scale-job',
  'read-logs',
  'read-fs',
  'alloc-exec',
  'alloc-node-exec',
  'alloc-lifecycle',
  'csi-register-plugin',
  'csi-list-volume',
  'csi-read-volume',
  'csi-write-volume',
  'csi-mount-volume',
  'host-volume-create',
  'host-volume-register',
  'host-volume-read',
  'host-volume-write',
  'host-volume-delete',
  'list-scaling-policies',
  'read-scaling-policy',
  'read-job-scaling',
  'submit-recommendation',
  'sentinel-override',
] as const
/**
 * The capabilities of a policy in a namespace.
 */
export type NamespaceCapability = (typeof namespaceCapabilities)[number]

/**
 * The capabilities of a policy on a node pool.
 */
export const poolCapabilities = ['deny', 'delete', 'read', 'write'] as const
/**
 * The capabilities of a policy on a node pool.
 */
export type PoolCapability = (typeof poolCapabilities)[number]

/**
 * The capabilities of a policy on the variables of a path; `read` includes `list`.
 */
export const variableCapabilities = ['deny', 'list', 'read', 'write', 'destroy'] as const
/**
 * The capabilities of a policy on the variables of a path.
 */
export type VariableCapability = (typeof variableCapabilities)[number]

const readNamespace = [
  'list-jobs',
  'parse-job',
  'read-job',
  'csi-list-volume',
  'csi-read-volume',
  'read-job-scaling',
  'list-scaling-policies',
  'read-scaling-policy',
  'host-volume-read',
] as const satisfies readonly NamespaceCapability[]

const scaleNamespace = [
  'list-scaling-policies',
  'read-scaling-policy',
  'read-job-scaling',
  'scale-job',
] as const satisfies readonly NamespaceCapability[]

/** The capabilities of each coarse policy in a namespace. */
export const namespacePolicies = {
  deny: ['deny'],
  read: readNamespace,
  scale: scaleNamespace,
  write: [
    ...readNamespace,
    ...scaleNamespace,
    'submit-job',
    'dispatch-job',
    'read-logs',
    'read-fs',
    'alloc-exec',
    'alloc-lifecycle',
    'csi-mount-volume',
    'csi-write-volume',
    'submit-recommendation',
    'host-volume-create',
  ],
} as const satisfies Record<string, readonly NamespaceCapability[]>

/** The capabilities of each coarse policy on a node pool. */
export const poolPolicies = {
  deny: ['deny'],
  read: ['read'],
  write: ['delete', 'read', 'write'],
} as const satisfies Record<string, readonly PoolCapability[]>

/** The parts of a policy that have a single rule, with their levels. */
export const coarsePolicies = {
  agent: ['deny', 'read', 'write'],
  node: ['deny', 'read', 'write'],
  operator: ['deny', 'read', 'write'],
  quota: ['deny', 'read', 'write'],
  plugin: ['deny', 'list', 'read', 'write'],
} as const
/**
 * The parts of a policy that have a single rule without a name.
 */
export type CoarseResource = keyof typeof coarsePolicies
export const isCoarse = (kind: string): kind is CoarseResource => Object.hasOwn(coarsePolicies, kind)
/**
 * The levels of such a rule; `deny` overrides all others.
 */
export type CoarseLevel = 'deny' | 'list' | 'read' | 'write'
