import { type Env, type Outcome, type Refused, refuse } from '../../../kernel/index.ts'
import { type Collection, transact } from '../../../store/index.ts'
import type { WriteCall, Written } from '../call.ts'
import type { Cluster } from '../cluster.ts'
import { enter } from '../enter.ts'
import type { SchedulerEvent } from '../events.ts'
import { permissionDenied } from './authenticate.ts'

/** What every method answers while access control is off. */
export const aclDisabled = () => refuse('acl_disabled', 'ACL support disabled')

/** Removes one record of access control, as its command decides; asks for management. */
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
): Promise<Written<string> | Refused<'permission_denied' | 'acl_disabled' | Code>> =>
  enter<Written<string> | Refused<'permission_denied' | 'acl_disabled' | Code>>(
    cluster,
    call,
    async ({ access }) => {
      if (!cluster.acl.enabled) return aclDisabled()
      if (!access.management) return permissionDenied()
      const env = cluster.env()
      const { result, rev } = await transact(
        cluster.view,
        () => env.newId('commit'),
        (tx) => {
          const outcome = remove(tx.get(from, id)?.value, {}, env)
          if (outcome.ok) tx.delete(from, id)
          return outcome
        },
      )
      if (!result.ok) return result
      cluster.emit(result.events)
      return { ok: true, value: result.value, index: rev }
    },
  )
