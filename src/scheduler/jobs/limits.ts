import type { JobSpec } from './model.ts'
import type { TaskGroup, UpdateStrategy } from './task-group.ts'

/**
 * Numbers out of range and words that mean nothing, wherever they are in a specification; empty when there are none.
 *
 * @internal
 */
export const limitProblems = (job: JobSpec): readonly string[] => [
  ...updateProblems('The update strategy of the job', job.Update),
  ...spreadProblems('Job', job.Spreads),
  ...job.TaskGroups.flatMap(groupProblems),
]

function groupProblems(group: TaskGroup): readonly string[] {
  const where = `Task group ${group.Name}`
  return [
    ...updateProblems(`${where}: the update strategy`, group.Update),
    ...restartProblems(`${where}: the restart policy`, group.RestartPolicy),
    ...spreadProblems(where, group.Spreads),
    ...oneOf(
      `${where}: the reschedule policy's DelayFunction`,
      group.ReschedulePolicy?.DelayFunction,
      delays,
    ),
    ...notNegative(`${where}: the ephemeral disk`, group.EphemeralDisk, ['SizeMB']),
    ...notNegative(where, group, ['ShutdownDelay', 'MaxClientDisconnect']),
    ...portProblems(where, group.Networks),
    ...group.Tasks.flatMap((task) => [
      ...restartProblems(`Task ${task.Name}: the restart policy`, task.RestartPolicy),
      ...notNegative(`Task ${task.Name}`, task, ['KillTimeout', 'ShutdownDelay']),
      ...notNegative(`Task ${task.Name}`, task.Resources, ['Cores', 'MemoryMaxMB']),
      ...notNegative(`Task ${task.Name}: the log`, task.LogConfig, ['MaxFiles', 'MaxFileSizeMB']),
      ...portProblems(`Task ${task.Name}`, task.Resources.Networks),
    ]),
  ]
}

const healthChecks = ['checks', 'task_states', 'manual']
const restartModes = ['delay', 'fail']
const delays = ['constant', 'exponential', 'fibonacci']

const updateProblems = (where: string, update: UpdateStrategy | null): readonly string[] => [
  ...oneOf(`${where}'s HealthCheck`, update?.HealthCheck, healthChecks),
  ...notNegative(where, update, [
    'Stagger',
    'MaxParallel',
    'Canary',
    'MinHealthyTime',
    'HealthyDeadline',
    'ProgressDeadline',
  ]),
]

const restartProblems = (where: string, policy: TaskGroup['RestartPolicy']): readonly string[] => [
  ...oneOf(`${where}'s Mode`, policy?.Mode, restartModes),
  ...notNegative(where, policy, ['Attempts', 'Interval', 'Delay']),
]

const spreadProblems = (where: string, spreads: JobSpec['Spreads']): readonly string[] =>
  (spreads ?? []).flatMap(({ Attribute, Weight, SpreadTarget }) => {
    const spread = `${where}: the spread over ${JSON.stringify(Attribute)}`
    return [
      ...between(`${spread}: Weight`, Weight, 0, 100),
      ...(SpreadTarget ?? []).flatMap(({ Value, Percent }) =>
        between(`${spread}: the Percent of ${JSON.stringify(Value)}`, Percent, 0, 100),
      ),
    ]
  })

const portProblems = (where: string, networks: TaskGroup['Networks']): readonly string[] =>
  (networks ?? []).flatMap(({ ReservedPorts, DynamicPorts }) =>
    [...(ReservedPorts ?? []), ...(DynamicPorts ?? [])].flatMap(({ Label, Value, To }) => [
      ...between(`${where}: the Value of port ${JSON.stringify(Label)}`, Value, 0, 65_535),
      // -1 stands for the port itself.
      ...between(`${where}: the To of port ${JSON.stringify(Label)}`, To, -1, 65_535),
    ]),
  )

function notNegative<Field extends string>(
  where: string,
  values: { readonly [Each in Field]?: number | null } | null,
  fields: readonly Field[],
): readonly string[] {
  return fields.flatMap((field) => {
    const value: number | null = values?.[field] ?? null
    return value !== null && value < 0 ? [`${where} has ${field} ${value}, less than 0`] : []
  })
}

const between = (what: string, value: number, low: number, high: number): readonly string[] =>
  value >= low && value <= high ? [] : [`${what} is ${value}, not between ${low} and ${high}`]

const oneOf = (what: string, value: string | undefined, words: readonly string[]): readonly string[] =>
  value === undefined || value === '' || words.includes(value)
    ? []
    : [`${what} is ${JSON.stringify(value)}, none of ${words.join(', ')}`]
