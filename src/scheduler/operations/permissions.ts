import { operation } from '../../operation/operation.ts'
import type { NamespaceCapability } from '../acl/capabilities.ts'
import { permissionDenied } from '../service/authenticate.ts'
import type { WriteCall } from '../service/call.ts'
import type { Cluster } from '../service/cluster.ts'
import { enter } from '../service/enter.ts'
import { call, capability, name, namespace } from './arguments.ts'

/** The operations about the caller's rights. */
export const permissionOperations = {
  /**
   * Whether the caller has a capability in a namespace: a caller without it learns nothing about the request.
   *
   * @example await scheduler.mayInNamespace('default', 'submit-job')
   */
  mayInNamespace: operation({
    takes: [namespace, capability, call],
    refuses: ['permission_denied'],
    run: (cluster: Cluster, namespace: string, capability: NamespaceCapability, call: WriteCall = {}) =>
      enter(cluster, call, ({ access }) =>
        access.namespace(namespace, capability) ? { ok: true as const } : permissionDenied(),
      ),
  }),

  /**
   * Whether the caller may write the pool of this name.
   *
   * @example await scheduler.mayWritePool('gpu')
   */
  mayWritePool: operation({
    takes: [name, call],
    refuses: ['permission_denied'],
    run: (cluster: Cluster, name: string, call: WriteCall = {}) =>
      enter(cluster, call, ({ access }) =>
        access.pool(name, 'write') ? { ok: true as const } : permissionDenied(),
      ),
  }),
}
