import { checkArguments } from '../../kernel/check-arguments.ts'
import type { Env, Instant } from '../../kernel/index.ts'
import { isTerminalAllocation } from '../allocations/rules.ts'
import type { TaskGroup } from '../jobs/task-group.ts'
import {
  because,
  descriptions,
  type GroupWork,
  idle,
  type ReconcileFacts,
  type ReconcileInput,
  type ReconcileState,
  reconcileFactsOf,
  type SeenAllocation,
} from './group-work.ts'
import { byGroup, withStrays } from './reconcile.ts'
import { isVacated } from './vacancies.ts'

/**
 * Returns the next actions for the task groups of a system job: each runs once on every eligible node, or on none if
 * its count is 0. With an update strategy, at most `MaxParallel` allocations are replaced within `Stagger`; without one,
 * earlier versions are replaced immediately. A `sysbatch` allocation runs only once, because it ends.
 *
 * @param state - as of {@link reconcile}
 * @param input - as of {@link reconcile}, and `nodes`: the nodes there are to run on
 * @param env - as of {@link reconcile}
 *
 * @example
 * ```ts
 * import { AllocationRecord, JobSpec, systemWork } from 'plinth/scheduler'
 *
 * const job = JobSpec.parse({ ID: 'logs', Type: 'system', TaskGroups: [{ Name: 'app', Count: 1 }] })
 * const running = AllocationRecord.parse({ ID: 'a1', TaskGroup: 'app', NodeID: 'n1', ClientStatus: 'running' })
 * const nodes = [{ ID: 'n1' }, { ID: 'n2' }, { ID: 'n3' }]
 * systemWork({ job, allocations: [running] }, { nodes }, { now: Date.UTC(2026, 0, 1) })[0]?.place // 2
 * ```
 */
export function systemWork(
  state: ReconcileState,
  input: ReconcileInput & { readonly nodes: readonly { readonly ID: string }[] },
  env: Pick<Env, 'now'>,
): readonly GroupWork[] {
  checkArguments('state input env', state, input, env)
  const facts = reconcileFactsOf(state, input, env)
  const { job, allocations, unchanged, fits } = facts
  const open = new Set(input.nodes.map(({ ID }) => ID))
  const isOpen = ({ NodeID }: { readonly NodeID: string }) => open.has(NodeID)
  const ofGroup = byGroup(allocations)
  const works = job.TaskGroups.map((group): GroupWork => {
    const own = ofGroup(group.Name)
    const live = own.filter((each) => !isTerminalAllocation(each))
    const isKept = (each: (typeof live)[number]) => group.Count > 0 && unchanged(each) && fits(each)
    const earlier = live.filter(({ JobVersion }) => JobVersion !== job.Version)
    const due = live.filter((each) => !isKept(each))
    const mayUpdate = (each: SeenAllocation) => group.Count > 0 && isOpen(each) && fits(each)
    const updated = due.filter(mayUpdate)
    const pace = updatePace(facts, group, { own, updated, isOpen })
    const done = own.filter((each) => job.Type === 'sysbatch' && isOver(each) && unchanged(each))
    return {
      ...idle(group),
      stop: [
        ...due.filter((each) => !mayUpdate(each)).map(because(descriptions.notNeeded)),
        ...updated.slice(0, pace.now).map(because(descriptions.updating)),
      ],
      place:
        group.Count === 0
          ? 0
          : Math.max(0, open.size - live.filter(isOpen).length - done.filter(isOpen).length),
      update: earlier.filter(isKept).map(({ ID }) => ID),
      again: pace.again,
    }
  })
  return withStrays(works, job, allocations)
}

/** How many allocations of a group are replaced now, and when more are: those just replaced count. */
function updatePace(
  { job, now }: ReconcileFacts,
  group: TaskGroup,
  {
    own,
    updated,
    isOpen,
  }: {
    readonly own: readonly SeenAllocation[]
    readonly updated: readonly SeenAllocation[]
    readonly isOpen: (each: SeenAllocation) => boolean
  },
): { readonly now: number; readonly again: Instant | undefined } {
  const strategy = job.Type === 'system' ? (group.Update ?? job.Update) : null
  if (strategy === null || strategy.MaxParallel === 0) return { now: updated.length, again: undefined }
  const stagger = strategy.Stagger / 1e6
  const endOf = ({ CreateTime }: SeenAllocation) => Math.ceil(CreateTime / 1e6 + stagger)
  const recent = own.filter(
    (each) => each.JobVersion === job.Version && each.PreviousAllocation !== '' && endOf(each) > now,
  )
  const vacated = own.filter((each) => each.JobVersion !== job.Version && isVacated(each) && isOpen(each))
  const count = Math.max(0, strategy.MaxParallel - recent.length - vacated.length)
  if (count >= updated.length) return { now: updated.length, again: undefined }
  return { now: count, again: recent.length > 0 ? Math.min(...recent.map(endOf)) : now + stagger }
}

/** A stopped allocation has not completed its work. */
const isOver = ({ ClientStatus, DesiredStatus }: SeenAllocation): boolean =>
  DesiredStatus === 'run' && (ClientStatus === 'complete' || ClientStatus === 'failed')
