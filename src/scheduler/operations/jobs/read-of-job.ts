import { refuse } from '../../../kernel/index.ts'
import type { Snapshot } from '../../../store/index.ts'
import type { NamespaceCapability } from '../../acl/capabilities.ts'
import { jobRecords } from '../../records/collections.ts'
import { permissionDenied } from '../../service/authenticate.ts'
import type { ReadCall } from '../../service/call.ts'
import { type Cluster, indexOf } from '../../service/cluster.ts'
import { enter } from '../../service/enter.ts'
import { answerRead, type Look } from '../../service/read/read.ts'

/**
 * Reads something of one job, which requires one of some capabilities. A wait for a job that is missing ends with the
 * next change of the jobs of its namespace.
 */
export const readOfJob = <Value>(
  cluster: Cluster,
  [what, id]: readonly [what: string, id: string],
  call: ReadCall,
  capabilities: readonly NamespaceCapability[],
  look: (at: Snapshot, namespace: string) => Look<Value> | undefined,
) =>
  enter(cluster, call, ({ now, access }) => {
    const { namespace = 'default' } = call
    if (!access.namespace(namespace, ...capabilities)) return permissionDenied()
    const mark = jobRecords.markOf('namespace', namespace)
    return answerRead(cluster, call, now, [what, namespace, id], (at) => {
      const found = look(at, namespace)
      if (found !== undefined) return found
      const index = indexOf(at, [mark])
      return { ...refuse('job_not_found', 'job not found', { index }), index, keys: [mark] }
    })
  })
