import { useSignal } from '@preact/signals'
import type { JobPlan } from 'plinth/scheduler'
import { useId } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { call } from '../../data/call.ts'
import { Action } from '../../ui/action.tsx'
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

/** A job from its text: JSON as the API takes it, or HCL, which the scheduler parses. */
async function readJob(text: string): Promise<AnyJob> {
  if (!text.trimStart().startsWith('{'))
    return (await call<AnyJob>('scheduler', '/v1/jobs/parse', { method: 'POST', body: { JobHCL: text } }))
      .body
  const read: unknown = JSON.parse(text)
  return (typeof read === 'object' && read !== null && 'Job' in read ? read.Job : read) as AnyJob
}

/** A job is written, planned, and run. */
export default function Run() {
  const id = useId()
  const { route } = useLocation()
  const text = useSignal(sample)
  const planned = useSignal<JobPlan | undefined>(undefined)
  const plan = async () => {
    const job = await readJob(text.value)
    const { body } = await call<JobPlan>('scheduler', jobPath(job.ID, '/plan'), {
      method: 'POST',
      body: { Job: job, Diff: true },
    })
    planned.value = body
  }
  const run = async () => {
    const job = await readJob(text.value)
    await call('scheduler', '/v1/jobs', { method: 'POST', body: { Job: job } })
    route(jobLink(job.ID, job.Namespace ?? 'default'))
  }
  const { value } = planned
  return (
    <section class="view">
      <h1>Run a job</h1>
      <label for={id}>Job, as HCL or JSON</label>
      <textarea
        id={id}
        spellcheck={false}
        value={text}
        onInput={(event) => {
          text.value = event.currentTarget.value
          planned.value = undefined
        }}
      />
      <p class="actions">
        <Action kind="quiet" run={plan}>
          Plan
        </Action>
        <Action done="The job is registered." run={run}>
          Run
        </Action>
      </p>
      {value && (
        <>
          <h2>Plan</h2>
          {value.Warnings && <p class="problem">{value.Warnings}</p>}
          <ul>
            {Object.entries(value.Annotations?.DesiredTGUpdates ?? {}).map(([group, updates]) => (
              <li key={group}>
                {group}:{' '}
                {Object.entries(updates)
                  .filter(([, count]) => count > 0)
                  .map(([what, count]) => `${count} ${what.toLowerCase()}`)
                  .join(', ') || 'nothing to do'}
              </li>
            ))}
          </ul>
          {value.FailedTGAllocs && <PlacementFailureList failures={value.FailedTGAllocs} />}
          {value.Diff && <Diff diff={value.Diff} />}
        </>
      )}
    </section>
  )
}
