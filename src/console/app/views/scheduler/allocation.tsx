import { useSignal } from '@preact/signals'
import type { Allocation } from 'plinth/scheduler'
import { useRoute } from 'preact-iso/router'
import { call } from '../../data/call.ts'
import { useResource } from '../../data/resource.ts'
import { Action } from '../../ui/action.tsx'
import { Facts } from '../../ui/facts.tsx'
import { JsonButton } from '../../ui/json-button.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Rows } from '../../ui/rows.tsx'
import { Status } from '../../ui/status.tsx'
import { Time } from '../../ui/time.tsx'
import { View } from '../../ui/view.tsx'
import { deploymentLink, evaluationLink, jobLink, nodeLink } from './links.ts'
import { readScheduler } from './list.ts'
import { TaskLog } from './task-log.tsx'
import { Usage } from './usage.tsx'

/** One allocation, live: its resource usage, and its tasks with their events and output. */
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
          {value.DesiredStatus === 'run' && <StopAllocation id={id} name={value.Name} />}
        </>
      }
    >
      {problem && <Problem problem={problem} service="scheduler" />}
      <AllocationFacts of={value} />
      {value.ClientStatus === 'running' && <Usage of={value} />}
      <h2>Tasks</h2>
      {Object.keys(value.TaskStates ?? {}).length === 0 && (
        <p class="empty">No task yet: a node starts them once it has received the allocation.</p>
      )}
      {Object.entries(value.TaskStates ?? {}).map(([task, state]) => (
        <Task
          key={task}
          allocation={id}
          task={task}
          state={state}
          resources={value.AllocatedResources?.Tasks?.[task]}
        />
      ))}
    </View>
  )
}

const AllocationFacts = ({ of: value }: { readonly of: Allocation }) => (
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
      [
        'Deployment',
        value.DeploymentID ? (
          <a key="deployment" href={deploymentLink(value.DeploymentID)}>
            {value.DeploymentID.slice(0, 8)}
          </a>
        ) : (
          '–'
        ),
      ],
      [
        'Evaluation',
        <a key="evaluation" href={evaluationLink(value.EvalID)}>
          {value.EvalID.slice(0, 8)}
        </a>,
      ],
      ['Created', <Time key="time" ms={value.CreateTime / 1e6} />],
    ]}
  />
)

const StopAllocation = ({ id, name }: { readonly id: string; readonly name: string }) => (
  <Action
    kind="danger"
    confirm={{
      title: `Stop ${name}?`,
      text: 'Its tasks are stopped, and the scheduler places a replacement.',
      action: 'Stop',
    }}
    run={() => call('scheduler', `/v1/allocation/${id}/stop`, { method: 'POST' })}
  >
    Stop
  </Action>
)

type TaskState = NonNullable<Allocation['TaskStates']>[string]
type TaskResources = NonNullable<Allocation['AllocatedResources']>['Tasks'][string]

/** A task: its state, its resources, its events, and its output on request. */
function Task({
  allocation,
  task,
  state,
  resources,
}: {
  readonly allocation: string
  readonly task: string
  readonly state: TaskState
  readonly resources: TaskResources | undefined
}) {
  const isLogShown = useSignal(false)
  const events = (state.Events ?? []).map(eventOf)
  return (
    <section class="item" aria-label={`Task ${task}`}>
      <div class="title">
        <span>
          <strong>{task}</strong> <Status of={state.Failed ? 'failed' : state.State} />{' '}
          <span class="muted">
            {state.Restarts} {state.Restarts === 1 ? 'restart' : 'restarts'}
            {resources && `, ${resources.Cpu.CpuShares} MHz and ${resources.Memory.MemoryMB} MB reserved`}
          </span>
        </span>
        <button
          type="button"
          class="quiet"
          aria-expanded={isLogShown.value}
          onClick={() => {
            isLogShown.value = !isLogShown.value
          }}
        >
          {isLogShown.value ? 'Hide logs' : 'Logs'}
          <span class="hidden"> of {task}</span>
        </button>
      </div>
      {isLogShown.value && <TaskLog allocation={allocation} task={task} />}
      {events.length === 0 ? <p class="muted">No event yet.</p> : <TaskEvents task={task} events={events} />}
    </section>
  )
}

const TaskEvents = ({ task, events }: { readonly task: string; readonly events: readonly TaskEvent[] }) => (
  <Rows
    label={`Events of ${task}`}
    rows={events}
    keyOf={({ key }) => key}
    columns={[
      { title: 'Event', cell: ({ type }) => type },
      { title: 'Time', cell: ({ ms }) => <Time ms={ms} /> },
      { title: 'Message', cell: ({ message }) => <span class="prose">{message}</span> },
    ]}
  />
)

interface TaskEvent {
  readonly key: string
  readonly type: string
  readonly ms: number
  readonly message: string
}

/** An event of a task; clients report any fields. */
function eventOf(event: unknown, at: number): TaskEvent {
  const of = (typeof event === 'object' && event !== null ? event : { Type: event }) as Readonly<
    Record<string, unknown>
  >
  return {
    key: String(at),
    type: String(of['Type'] ?? ''),
    ms: Number(of['Time'] ?? 0) / 1e6,
    message: String(of['DisplayMessage'] || of['Message'] || ''),
  }
}
