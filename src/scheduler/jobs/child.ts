import type { Env, Outcome } from '../../kernel/index.ts'
import { nanoseconds } from '../values/instants.ts'
import type { JobSpec } from './model.ts'

/**
 * A child of a parameterized or periodic job was created.
 */
export interface JobLaunched {
  readonly type: 'job.launched'
  readonly parent: string
  readonly child: string
  readonly namespace: string
}

/** A copy of a parent under its own ID. */
export const childOf = (parent: JobSpec, id: string, env: Env): JobSpec => ({
  ...parent,
  ID: id,
  Name: id,
  ParentID: parent.ID,
  Version: 0,
  VersionTag: null,
  SubmitTime: nanoseconds(env.now),
})

/** A launch: the parent stays unchanged, the child is the value. */
export const launched = (parent: JobSpec, child: JobSpec): Outcome<JobSpec, JobSpec, JobLaunched> => ({
  ok: true,
  state: parent,
  value: child,
  events: [{ type: 'job.launched', parent: parent.ID, child: child.ID, namespace: parent.Namespace }],
})
