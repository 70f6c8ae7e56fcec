import type { SchedulerRoute } from './context.ts'
import { allocationFlags } from './lists.ts'
import { listOf } from './reads.ts'

/** What belongs to one evaluation. */
export const evaluationRoutes: readonly SchedulerRoute[] = [
  listOf({
    id: 'evaluations.allocations',
    path: '/v1/evaluation/:eval_id/allocations',
    summary: 'List what an evaluation placed, or brought up to date',
    access: 'namespace:read-job',
    prefix: true,
    flags: allocationFlags,
    list: (scheduler, { eval_id }, call, { resources, task_states: taskStates }) =>
      scheduler.listEvaluationAllocations(eval_id, { ...call, resources, taskStates }),
  }),
]
