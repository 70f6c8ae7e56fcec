import { useSignal } from '@preact/signals'
import type { Job, JobPlan } from 'plinth/scheduler'
import { useEffect } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import { call, Problem } from '../../data/call.ts'
import { Action } from '../../ui/action.tsx'
import { Editor, type Place, placeIn } from '../../ui/editor.tsx'
import { View } from '../../ui/view.tsx'
import { Diff } from './diff.tsx'
import { jobLink, jobPath } from './links.ts'
import { PlacementFailureList } from './placement-failures.tsx'

const sample = `job "hello" {
  group "web" {
    count = 2
    task "server" {
      driver = "exec"
      config {
        command = "/bin/sleep"
        args    = ["600"]
      }
    }
  }
}
`

interface AnyJob {
  readonly ID: string
  readonly Namespace?: string
}

interface Planned {
  readonly plan: JobPlan
  /** The text that was planned. */
  readonly text: string
}

const isJson = (text: string): boolean => text.trimStart().startsWith('{')

/** A job from its text: JSON as the API takes it, or HCL, which the scheduler parses. */
async function readJob(text: string): Promise<AnyJob> {
  if (!isJson(text))
    return (await call<AnyJob>('scheduler', '/v1/jobs/parse', { method: 'POST', body: { JobHCL: text } }))
      .body
  const read: unknown = JSON.parse(text)
  return (typeof read === 'object' && read !== null && 'Job' in read ? read.Job : read) as AnyJob
}

/** The source text of a job, or its JSON if it has none. */
async function textOf(id: string, namespace: string): Promise<string> {
  const { body: job } = await call<Job>('scheduler', jobPath(id), { query: { namespace } })
  try {
    const { body } = await call<{ readonly Source: string }>('scheduler', jobPath(id, '/submission'), {
      query: { namespace, version: job.Version },
    })
    return body.Source
  } catch (error) {
    if (error instanceof Problem && error.status === 404) return JSON.stringify(job, null, 2)
    throw error
  }
}

/** The error of the text, shown below it, with its position. */
function useReported() {
  const problem = useSignal<{ readonly message: string; readonly place: Place | undefined } | undefined>(
    undefined,
  )
  const reporting = (work: () => Promise<unknown>) => async () => {
    problem.value = undefined
    try {
      await work()
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error)
      problem.value = { message, place: placeIn(message) }
    }
  }
  return { problem, reporting }
}

/** Write, plan and run a job; with a job in the URL, edit it. */
export default function Run() {
  const { query, route } = useLocation()
  const { job: id, namespace = 'default' } = query
  const text = useSignal(id === undefined ? sample : '')
  const planned = useSignal<Planned | undefined>(undefined)
  const { problem, reporting } = useReported()
  useEffect(() => {
    if (id === undefined) return
    void reporting(async () => {
      text.value = await textOf(id, namespace)
    })()
  }, [id, namespace])
  const plan = reporting(async () => {
    const planning = text.value
    const job = await readJob(planning)
    planned.value = { plan: await planOf(job), text: planning }
  })
  const run = reporting(async () => {
    const job = await readJob(text.value)
    await register(job, text.value, planned.value?.plan)
    route(jobLink(job.ID, job.Namespace ?? 'default'))
  })
  return (
    <View title={id === undefined ? 'Run a job' : `Edit ${id}`}>
      <p class="muted">
        Write a job as HCL or JSON. A plan shows what would change; nothing changes until you run it.
      </p>
      <Editor
        label="Job"
        text={text}
        mistake={problem.value?.place}
        onInput={() => {
          planned.value = undefined
        }}
      />
      <p class="actions">
        <Action kind="quiet" run={plan}>
          Plan
        </Action>
        <Action run={run}>Run</Action>
      </p>
      {problem.value && (
        <p class="problem" role="alert">
          {problem.value.message}
        </p>
      )}
      {planned.value && <Plan plan={planned.value.plan} />}
    </View>
  )
}

/** What registering a job would change. */
const planOf = async (job: AnyJob): Promise<JobPlan> =>
  (
    await call<JobPlan>('scheduler', jobPath(job.ID, '/plan'), {
      method: 'POST',
      query: { namespace: job.Namespace },
      body: { Job: job, Diff: true },
    })
  ).body

/** Registers a job; a planned one only if it has not changed since the plan. */
const register = (job: AnyJob, source: string, plan: JobPlan | undefined) =>
  call('scheduler', '/v1/jobs', {
    method: 'POST',
    body: {
      Job: job,
      ...(plan && { EnforceIndex: true, JobModifyIndex: plan.JobModifyIndex }),
      Submission: { Source: source, Format: isJson(source) ? 'json' : 'hcl2' },
    },
  })

/** What a plan does with the allocations of a group, in the words of its user. */
const updateTexts: Readonly<Record<string, string>> = {
  Ignore: 'unchanged',
  Place: 'to place',
  Migrate: 'to migrate',
  Stop: 'to stop',
  InPlaceUpdate: 'to update in place',
  DestructiveUpdate: 'to replace',
  Canary: 'canaries to place',
  Preemptions: 'to preempt',
}

function Plan({ plan }: { readonly plan: JobPlan }) {
  const groups = Object.entries(plan.Annotations?.DesiredTGUpdates ?? {})
  return (
    <>
      <h2>Plan</h2>
      {plan.Warnings && <p class="problem">{plan.Warnings}</p>}
      <ul>
        {groups.map(([group, updates]) => (
          <li key={group}>
            {group}:{' '}
            {Object.entries(updates)
              .filter(([, count]) => count > 0)
              .map(([update, count]) => `${count} ${updateTexts[update] ?? update}`)
              .join(', ') || 'no changes'}
          </li>
        ))}
      </ul>
      {plan.FailedTGAllocs && <PlacementFailureList failures={plan.FailedTGAllocs} />}
      {plan.Diff && <Diff diff={plan.Diff} />}
    </>
  )
}
