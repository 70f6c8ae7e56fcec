import { type Refused, refuse } from '../../../kernel/index.ts'
import type { Stored } from '../../../store/index.ts'
import type { NamespaceCapability } from '../../acl/capabilities.ts'
import type { JobSpec } from '../../jobs/model.ts'
import { permissionDenied } from '../acl/authenticate.ts'
import type { WriteCall, Written } from '../call.ts'
import type { Cluster } from '../cluster.ts'
import { type Entered, enter } from '../enter.ts'
import type { SchedulerEvent } from '../events.ts'
import { configurationAt } from '../system/operator.ts'
import type { JobName, Ledger } from '../write/ledger.ts'
import { record } from '../write/record.ts'

/**
 * A call about one job of a namespace.
 *
 * @public
 */
export interface JobCall extends WriteCall {
  /** `default` by default. */
  readonly namespace?: string | undefined
}

/** What may be asked of whoever acts on a job. */
interface Asked {
  /** Any of these. */
  readonly may: readonly NamespaceCapability[]
  /** Whether it is refused while the cluster takes no registrations. */
  readonly registers?: boolean
}

/** Does something with a job that is there, in one commit; nothing of it where that is refused. */
export function actOnJob<
  Decided extends { readonly ok: true; readonly events: readonly SchedulerEvent[] },
  Value,
  Code extends string,
>(
  cluster: Cluster,
  id: string,
  call: JobCall,
  { may, registers = false }: Asked,
  decide: (ledger: Ledger, job: Stored<JobSpec>, name: JobName) => Decided | Refused<Code>,
  answer: (decided: Decided, rev: number) => Written<Value>,
): Promise<Written<Value> | Refused<Code | 'permission_denied' | 'job_not_found' | 'registration_disabled'>> {
  type Refusing = Refused<Code | 'permission_denied' | 'job_not_found' | 'registration_disabled'>
  return enter<Written<Value> | Refusing>(cluster, call, async (entered) => {
    const name = { Namespace: call.namespace ?? 'default', ID: id }
    if (!entered.access.namespace(name.Namespace, ...may)) return permissionDenied()
    const closed = registers ? registrationsClosed(entered) : undefined
    if (closed !== undefined) return closed
    const { result, rev } = await record<Decided | Refusing>(cluster, (ledger) => {
      const job = ledger.job(name)
      return job === undefined ? refuse('job_not_found', 'job not found') : decide(ledger, job, name)
    })
    if (!result.ok) return result
    cluster.emit(result.events)
    return answer(result, rev)
  })
}

/** The refusal of new work while the cluster takes none but from management. */
export const registrationsClosed = ({
  now,
  access,
}: Entered): Refused<'registration_disabled'> | undefined =>
  configurationAt(now).RejectJobRegistration && !access.management
    ? refuse(
        'registration_disabled',
        'Job registration, dispatch, and scale are disabled by the scheduler configuration',
      )
    : undefined
