import type { Allocation } from 'plinth/scheduler'
import { useRoute } from 'preact-iso/router'
import { call } from '../../data/call.ts'
import { useResource } from '../../data/resource.ts'
import { Action } from '../../ui/action.tsx'
import { Facts } from '../../ui/facts.tsx'
import { JsonButton } from '../../ui/json-button.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Status } from '../../ui/status.tsx'
import { Time } from '../../ui/time.tsx'
import { View } from '../../ui/view.tsx'
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
      <View title="Allocation">
        {problem ? <Problem problem={problem} service="scheduler" /> : <p class="muted">Loading …</p>}
      </View>
    )
  return (
    <View
      title={value.Name}
      actions={
        <>
          <JsonButton name={value.Name} value={value} />
          {value.DesiredStatus === 'run' && (
            <Action
              kind="danger"
              confirm={{
                title: `Stop ${value.Name}?`,
                text: 'Its tasks are stopped, and the scheduler places a replacement.',
                action: 'Stop',
              }}
              run={() => call('scheduler', `/v1/allocation/${id}/stop`, { method: 'POST' })}
            >
              Stop
            </Action>
          )}
        </>
      }
    >
      {problem && <Problem problem={problem} service="scheduler" />}
      <Facts
        of={[
          ['Status', <Status key="status" of={value.ClientStatus} />],
          ['Desired', [value.DesiredStatus, value.DesiredDescription].filter(Boolean).join(': ')],
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
    </View>
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
