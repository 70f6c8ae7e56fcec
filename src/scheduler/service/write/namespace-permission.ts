import type { Refused } from '../../../kernel/index.ts'
import type { NamespaceCapability } from '../../acl/capabilities.ts'
import { permissionDenied } from '../acl/authenticate.ts'
import type { WriteCall } from '../call.ts'
import type { Cluster } from '../cluster.ts'
import { enter } from '../enter.ts'

export const namespacePermission =
  (cluster: Cluster) =>
  (
    namespace: string,
    capability: NamespaceCapability,
    call: WriteCall = {},
  ): Promise<{ readonly ok: true } | Refused<'permission_denied'>> =>
    enter(cluster, call, ({ access }) =>
      access.namespace(namespace, capability) ? { ok: true } : permissionDenied(),
    )
