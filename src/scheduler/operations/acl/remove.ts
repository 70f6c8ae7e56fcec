import { type Env, type Outcome, refuse } from '../../../kernel/index.ts'
import type { Collection } from '../../../store/index.ts'
import { permissionDenied } from '../../service/authenticate.ts'
import type { WriteCall } from '../../service/call.ts'
import type { Cluster } from '../../service/cluster.ts'
import { enter } from '../../service/enter.ts'
import type { SchedulerEvent } from '../../service/events.ts'

/** The refusal of every method while access control is off. */
export const aclDisabled = () => refuse('acl_disabled', 'ACL support disabled')

/** Removes one record of access control, as its command decides; requires management. */
export const removeAcl = <Row extends object, Code extends string>(
  cluster: Cluster,
  call: WriteCall,
  from: Collection<Row>,
  id: string,
  remove: (
    row: Row | undefined,
    input: Readonly<Record<never, never>>,
    env: Env,
  ) => Outcome<Row | undefined, string, SchedulerEvent, Code>,
) =>
  enter(cluster, call, async ({ access }) => {
    if (!cluster.acl.enabled) return aclDisabled()
    if (!access.management) return permissionDenied()
    const { answer, rev } = await cluster.commitAt<string, Code>((tx, env) => {
      const outcome = remove(tx.get(from, id)?.value, {}, env)
      if (outcome.ok) tx.delete(from, id)
      return outcome
    })
    return answer.ok ? { ...answer, index: rev } : answer
  })
