import { type Env, type Refused, refuse } from '../../../kernel/index.ts'
import type { Rev, Stored } from '../../../store/index.ts'
import type { Decision } from '../../../store/transactions/runner.ts'
import type { NamespaceCapability } from '../../acl/capabilities.ts'
import type { JobSpec } from '../../jobs/model.ts'
import { permissionDenied } from '../../service/authenticate.ts'
import type { Written } from '../../service/call.ts'
import type { Cluster } from '../../service/cluster.ts'
import { type Entered, enter } from '../../service/enter.ts'
import type { SchedulerEvent } from '../../service/events.ts'
import { configurationAt } from '../../service/read/configuration-at.ts'
import type { Ledger } from '../../service/write/ledger.ts'
import { record } from '../../service/write/record.ts'
import type { JobCall } from '../calls.ts'

/** The options of actions on a job. */
interface Asked<Early extends string> {
  /** Any of these. */
  readonly may: readonly NamespaceCapability[]
  /** A refusal before the job is looked up. */
  readonly refused?: (entered: Entered) => Refused<Early> | undefined
}

/** Performs an action on an existing job, in one commit; a refusal writes nothing. */
export const actOnJob = <Value, Code extends string, Early extends string = never>(
  cluster: Cluster,
  id: string,
  call: JobCall,
  { may, refused }: Asked<Early>,
  decide: (
    ledger: Ledger,
    job: Stored<JobSpec>,
    env: Env,
  ) => Decision<(rev: Rev) => Written<Value>, SchedulerEvent> | Refused<Code>,
) =>
  enter(cluster, call, async (entered) => {
    const name = { Namespace: call.namespace ?? 'default', ID: id }
    if (!entered.access.namespace(name.Namespace, ...may)) return permissionDenied()
    const early = refused?.(entered)
    if (early !== undefined) return early
    const { answer, rev } = await record<(rev: Rev) => Written<Value>, Code | 'job_not_found'>(
      cluster,
      (ledger, env) => {
        const job = ledger.job(name)
        return job === undefined ? refuse('job_not_found', 'job not found') : decide(ledger, job, env)
      },
    )
    return answer.ok ? answer.value(rev) : answer
  })

/** The refusal of new work while the cluster accepts it from management tokens only. */
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
