import type { Allocation } from 'plinth/scheduler'
import { useRoute } from 'preact-iso/router'
import { call } from '../../data/call.ts'
import { useResource } from '../../data/resource.ts'
import { Action } from '../../ui/action.tsx'
import { Facts } from '../../ui/facts.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Status } from '../../ui/status.tsx'
import { Time } from '../../ui/time.tsx'
import { jobLink, nodeLink } from './links.ts'
import { readScheduler } from './list.ts'

/** One allocation, live: its tasks and their events. */
export default function AllocationView() {
  const { params } = useRoute()
  const id = params['id'] ?? ''
  const { value, problem } = useResource(
    (asked) => readScheduler<Allocation>(`/v1/allocation/${id}`, {}, asked),
    [id],
  ).state.value
  if (!value)
    return (
      <section class="view">
        <h1>Allocation</h1>
        {problem ? <Problem problem={problem} service="scheduler" /> : <p class="muted">Loading …</p>}
      </section>
    )
  return (
    <section class="view">
      <div class="title">
        <h1>{value.Name}</h1>
        {value.DesiredStatus === 'run' && (
          <Action
            kind="danger"
            confirm="Stop this allocation? The scheduler places a replacement."
            run={() => call('scheduler', `/v1/allocation/${id}/stop`, { method: 'POST' })}
          >
            Stop
          </Action>
        )}
      </div>
      {problem && <Problem problem={problem} service="scheduler" />}
      <Facts
        of={[
          ['Status', <Status key="status" of={value.ClientStatus} />],
          ['Wanted', `${value.DesiredStatus} ${value.DesiredDescription}`],
          [
            'Job',
            <a key="job" href={jobLink(value.JobID, value.Namespace)}>
              {value.JobID}
            </a>,
          ],
          [
            'Node',
            <a key="node" href={nodeLink(value.NodeID)}>
              {value.NodeName || value.NodeID}
            </a>,
          ],
          ['Job version', value.JobVersion ?? '–'],
          ['Created', <Time key="time" ms={value.CreateTime / 1e6} />],
        ]}
      />
      <h2>Tasks</h2>
      {Object.entries(value.TaskStates ?? {}).map(([task, state]) => (
        <div key={task} class="item">
          <strong>{task}</strong> <Status of={state.Failed ? 'failed' : state.State} />{' '}
          <span class="muted">{state.Restarts} restarts</span>
          <ol>
            {(state.Events ?? []).map((event, at) => (
              <li key={`${task} ${at}`}>{describe(event)}</li>
            ))}
          </ol>
        </div>
      ))}
    </section>
  )
}

/** An event of a task; clients report any fields. */
function describe(event: unknown): string {
  if (typeof event !== 'object' || event === null) return String(event)
  const { Type, DisplayMessage, Message } = event as Readonly<Record<string, unknown>>
  return [Type, DisplayMessage ?? Message]
    .filter((part) => typeof part === 'string' && part !== '')
    .join(': ')
}
