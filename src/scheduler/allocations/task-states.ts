import type { Instant } from '../../kernel/index.ts'
import type { TaskGroup } from '../jobs/task-group.ts'
import { nanoseconds, rfc3339 } from '../values/instants.ts'
import type { AllocationRecord } from './model.ts'

type TaskStates = AllocationRecord['TaskStates']
type TaskEvents = NonNullable<NonNullable<TaskStates>[string]['Events']>

const event = (Type: string, DisplayMessage: string, now: Instant): TaskEvents[number] => ({
  Type,
  Time: nanoseconds(now),
  DisplayMessage,
  Details: null,
})

/** The states of the tasks of an allocation that starts on a simulated node. */
export function startedTasks({ Tasks }: Pick<TaskGroup, 'Tasks'>, now: Instant): TaskStates {
  const Events = [
    event('Received', 'Task received by client', now),
    event('Task Setup', 'Building Task Directory', now),
    event('Started', 'Task started by client', now),
  ]
  const started = Tasks.map(({ Name }) => [
    Name,
    {
      State: 'running',
      Failed: false,
      Restarts: 0,
      StartedAt: rfc3339(now),
      FinishedAt: null,
      Events,
    },
  ])
  return Object.fromEntries(started)
}

/** The states of the tasks of an allocation that was told to stop on a simulated node. */
export function killedTasks(states: TaskStates, now: Instant): TaskStates {
  if (states === null) return null
  const killed = [
    event('Killing', 'Sent interrupt', now),
    event('Terminated', 'Exit Code: 0', now),
    event('Killed', 'Task successfully killed', now),
  ]
  const ended = Object.entries(states).map(([name, state]) => [
    name,
    state.FinishedAt === null
      ? Object.assign({}, state, {
          State: 'dead',
          FinishedAt: rfc3339(now),
          Events: [...(state.Events ?? []), ...killed],
        })
      : state,
  ])
  return Object.fromEntries(ended)
}
