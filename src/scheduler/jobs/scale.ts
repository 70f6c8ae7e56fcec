import { checkArguments } from '../../kernel/check-arguments.ts'
import { answer, type Env, type Outcome, refuse } from '../../kernel/index.ts'
import { nanoseconds } from '../values/instants.ts'
import { countProblem as jobCountProblem, usualMaxCount } from './counts.ts'
import type { JobSpec } from './model.ts'
import type { JobRegistered, RegisterPolicy } from './register.ts'
import type { TaskGroup } from './task-group.ts'

/**
 * The new count of a task group.
 */
export interface ScaleInput {
  readonly group: string
  /** 0 or more. */
  readonly count: number
}

/** Why a task group cannot be scaled. */
export type ScaleRefusal = 'unknown_scaling_group' | 'invalid_scaling'

/**
 * Changes the count of one task group of a job: a new version that differs in nothing else. An unchanged count writes
 * none.
 *
 * @returns whether a new version was written, or `unknown_scaling_group`, `invalid_scaling` (negative, not a whole
 * number, or outside the group's own scaling policy)
 *
 * @example
 * ```ts
 * import { unwrapStep } from 'plinth'
 * import { JobSpec, scaleJob } from 'plinth/scheduler'
 *
 * const web = JobSpec.parse({ ID: 'web', TaskGroups: [{ Name: 'app', Count: 2 }] })
 * const env = { now: 0, newId: () => 'unused' }
 * const scaled = unwrapStep(scaleJob(web, { group: 'app', count: 5 }, env)).state
 * scaled.TaskGroups[0]?.Count // 5
 * scaled.Version // 1
 * ```
 */
export function scaleJob(
  job: JobSpec,
  input: ScaleInput,
  env: Env,
  { maxCount: most = usualMaxCount }: Pick<RegisterPolicy, 'maxCount'> = {},
): Outcome<JobSpec, { readonly written: boolean }, JobRegistered, ScaleRefusal> {
  checkArguments('job input env', job, input, env)
  const { group: name, count } = input
  const group = job.TaskGroups.find(({ Name }) => Name === name)
  if (group === undefined)
    return refuse('unknown_scaling_group', `task group "${name}" specified for scaling does not exist in job`)
  const problem = countProblem(job, group, count)
  if (problem !== undefined) return refuse('invalid_scaling', problem)
  if (group.Count === count) return answer(job, { written: false })
  const TaskGroups = job.TaskGroups.map((each) => (each === group ? { ...group, Count: count } : each))
  const tooMany = jobCountProblem({ TaskGroups }, most)
  if (tooMany !== undefined) return refuse('invalid_scaling', tooMany)
  const next: JobSpec = {
    ...job,
    TaskGroups,
    Version: job.Version + 1,
    VersionTag: null,
    SubmitTime: nanoseconds(env.now),
  }
  const { ID, Namespace, Version } = next
  const event: JobRegistered = { type: 'job.registered', job: ID, namespace: Namespace, version: Version }
  return { ok: true, state: next, value: { written: true }, events: [event] }
}

function countProblem({ Type }: JobSpec, { Scaling }: TaskGroup, count: number): string | undefined {
  if (!Number.isInteger(count) || count > maxCount)
    return `scaling action count must be a whole number up to ${maxCount}`
  if (count < 0) return "scaling action count can't be negative"
  if (Type === 'system' && count > 1) return 'jobs of type "system" can only be scaled to 1 or 0'
  const { Min: min, Max: max } = Scaling ?? {}
  if (typeof min === 'number' && count < min)
    return `group count was less than scaling policy minimum: ${count} < ${min}`
  if (typeof max === 'number' && count > max)
    return `group count was greater than scaling policy maximum: ${count} > ${max}`
  return undefined
}

const maxCount = 2_147_483_647
