import { checkArguments } from '../../kernel/check-arguments.ts'
import type { Env } from '../../kernel/index.ts'
import type { JobSpec } from '../jobs/model.ts'
import type { UpdateStrategy } from '../jobs/task-group.ts'
import { deploymentDescriptions } from './lifecycle.ts'
import type { DeploymentRecord, DeploymentState } from './model.ts'

/**
 * The inputs of a deployment, from its job.
 */
export interface DeployedJob {
  readonly job: JobSpec
  /** 0 by default. */
  readonly jobCreateIndex?: number | undefined
  /** 0 by default. */
  readonly jobModifyIndex?: number | undefined
  /**
   * The task groups with allocations of an earlier version to replace, none by default: only these can have canaries.
   */
  readonly previous?: ReadonlySet<string> | undefined
}

/**
 * Creates a deployment of a job's current version, or returns `undefined` for a job without roll-outs: one that is not
 * a service, or has no task group with an update strategy.
 *
 * @example
 * ```ts
 * import { JobSpec, newDeployment } from 'plinth/scheduler'
 *
 * const job = JobSpec.parse({ ID: 'web', Update: { Canary: 1 }, TaskGroups: [{ Name: 'app' }] })
 * const env = { now: Date.UTC(2026, 0, 1), newId: () => 'e1' }
 * newDeployment({ job, previous: new Set(['app']) }, env)?.TaskGroups['app']?.DesiredCanaries // 1
 * ```
 */
export function newDeployment(deployed: DeployedJob, env: Env): DeploymentRecord | undefined {
  checkArguments('deployed env', deployed, env)
  const { job, jobCreateIndex = 0, jobModifyIndex = 0, previous = new Set() } = deployed
  if (job.Type !== 'service') return undefined
  const groups = Object.fromEntries(
    job.TaskGroups.flatMap((group): [string, DeploymentState][] => {
      const update = group.Update ?? job.Update
      if (update === null || update.MaxParallel === 0) return []
      const canaries = previous.has(group.Name) ? update.Canary : 0
      return [[group.Name, begun(update, group.Count, canaries)]]
    }),
  )
  const states = Object.values(groups)
  if (states.length === 0) return undefined
  return {
    ID: env.newId('deployment'),
    JobID: job.ID,
    Namespace: job.Namespace,
    JobVersion: job.Version,
    JobModifyIndex: jobModifyIndex,
    JobSpecModifyIndex: jobModifyIndex,
    JobCreateIndex: jobCreateIndex,
    IsMultiregion: job.Multiregion !== null,
    TaskGroups: groups,
    Status: 'running',
    StatusDescription: runningDescription(states),
    EvalPriority: job.Priority,
  }
}

const begun = (update: UpdateStrategy, total: number, canaries: number): DeploymentState => ({
  AutoPromote: update.AutoPromote,
  AutoRevert: update.AutoRevert,
  DesiredCanaries: canaries,
  DesiredTotal: total,
  HealthyAllocs: 0,
  PlacedAllocs: 0,
  PlacedCanaries: null,
  ProgressDeadline: update.ProgressDeadline,
  Promoted: false,
  RequireProgressBy: null,
  UnhealthyAllocs: 0,
})

/** Why a running deployment waits. */
export function runningDescription(states: readonly DeploymentState[]): string {
  const waiting = states.filter(({ DesiredCanaries, Promoted }) => DesiredCanaries > 0 && !Promoted)
  if (waiting.length === 0) return deploymentDescriptions.running
  return waiting.every(({ AutoPromote }) => AutoPromote)
    ? deploymentDescriptions.autoPromotion
    : deploymentDescriptions.needsPromotion
}
