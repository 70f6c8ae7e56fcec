import { shortened } from '../values/shortened.ts'
import type { JobSpec } from './model.ts'
import { nameProblems } from './name-problems.ts'
import type { DisconnectStrategy, MigrateStrategy, TaskGroup, UpdateStrategy } from './task-group.ts'

/**
 * Numbers out of range and unknown words in a specification; empty if there are none.
 *
 * @internal
 */
export function limitProblems(job: JobSpec): readonly string[] {
  // Runs in every registration, and most are valid: collects problems without building strings.
  const problems: string[] = []
  if (job.ParentID !== '' && job.ParentID === job.ID) problems.push('The job is its own parent')
  if (job.ParentID !== '') problems.push(...nameProblems('Job parent ID', job.ParentID, 512))
  checkUpdate(problems, 'The update strategy of the job', job.Update)
  checkSpreads(problems, 'Job', job.Spreads)
  for (const group of job.TaskGroups) checkGroup(problems, job, group)
  return problems
}

function checkGroup(problems: string[], job: JobSpec, group: TaskGroup): void {
  const where = `Task group ${group.Name}`
  checkUpdate(problems, `${where}: the update strategy`, group.Update)
  checkMigrate(problems, `${where}: the migrate strategy`, job, group.Migrate)
  checkDisconnect(problems, `${where}: the disconnect strategy`, group)
  checkRestart(problems, `${where}: the restart policy`, group.RestartPolicy)
  checkSpreads(problems, where, group.Spreads)
  checkReschedule(problems, `${where}: the reschedule policy`, group.ReschedulePolicy)
  notNegative(problems, `${where}: the ephemeral disk`, group.EphemeralDisk, diskFields)
  notNegative(problems, where, group, groupFields)
  checkPorts(problems, where, group.Networks)
  checkScaling(problems, `${where}: the scaling policy`, group)
  for (const task of group.Tasks) {
    const at = `Task ${task.Name}`
    checkRestart(problems, `${at}: the restart policy`, task.RestartPolicy)
    notNegative(problems, at, task, taskFields)
    notNegative(problems, at, task.Resources, resourceFields)
    notNegative(problems, `${at}: the log`, task.LogConfig, logFields)
    checkPorts(problems, at, task.Resources.Networks)
  }
}

const healthChecks = ['checks', 'task_states', 'manual']
const migrateChecks = ['checks', 'task_states']
const reconciling = ['best_score', 'keep_original', 'keep_replacement', 'longest_running']
const restartModes = ['delay', 'fail']
const delays = ['constant', 'exponential', 'fibonacci']

const diskFields = ['SizeMB'] as const
const groupFields = ['ShutdownDelay', 'MaxClientDisconnect', 'StopAfterClientDisconnect'] as const
const taskFields = ['KillTimeout', 'ShutdownDelay'] as const
const resourceFields = ['Cores', 'MemoryMaxMB'] as const
const logFields = ['MaxFiles', 'MaxFileSizeMB'] as const
const restartFields = ['Attempts', 'Interval', 'Delay'] as const
const rescheduleFields = ['Attempts', 'Interval', 'Delay', 'MaxDelay'] as const
const migrateFields = ['MaxParallel', 'MinHealthyTime', 'HealthyDeadline'] as const
const disconnectFields = ['LostAfter', 'StopOnClientAfter'] as const
const updateFields = [
  'Stagger',
  'MaxParallel',
  'Canary',
  'MinHealthyTime',
  'HealthyDeadline',
  'ProgressDeadline',
] as const

function checkUpdate(problems: string[], where: string, update: UpdateStrategy | null): void {
  if (update === null) return
  oneOf(problems, `${where}'s HealthCheck`, update.HealthCheck, healthChecks)
  notNegative(problems, where, update, updateFields)
}

function checkMigrate(
  problems: string[],
  where: string,
  { Type }: Pick<JobSpec, 'Type'>,
  strategy: MigrateStrategy | null,
): void {
  if (strategy === null) return
  // Other types are not migrated one by one: batches may finish on their nodes, and system jobs leave last.
  if (Type !== 'service') problems.push(`${where} is not supported for a job of type "${Type}"`)
  oneOf(problems, `${where}'s HealthCheck`, strategy.HealthCheck, migrateChecks)
  notNegative(problems, where, strategy, migrateFields)
  if (strategy.MinHealthyTime > strategy.HealthyDeadline)
    problems.push(`${where}'s MinHealthyTime is longer than its HealthyDeadline`)
}

function checkDisconnect(
  problems: string[],
  where: string,
  { Disconnect, MaxClientDisconnect }: Pick<TaskGroup, 'Disconnect' | 'MaxClientDisconnect'>,
): void {
  if (Disconnect === null) return
  const { LostAfter, StopOnClientAfter, Reconcile }: DisconnectStrategy = Disconnect
  notNegative(problems, where, Disconnect, disconnectFields)
  oneOf(problems, `${where}'s Reconcile`, Reconcile, reconciling)
  if ((LostAfter > 0 || MaxClientDisconnect !== null) && StopOnClientAfter !== null)
    problems.push(`${where} has StopOnClientAfter together with LostAfter or MaxClientDisconnect`)
  if (LostAfter > 0 && MaxClientDisconnect !== null)
    problems.push(`${where} has LostAfter, and the group has MaxClientDisconnect`)
}

function checkRestart(problems: string[], where: string, policy: TaskGroup['RestartPolicy']): void {
  if (policy === null) return
  oneOf(problems, `${where}'s Mode`, policy.Mode, restartModes)
  notNegative(problems, where, policy, restartFields)
}

function checkReschedule(problems: string[], where: string, policy: TaskGroup['ReschedulePolicy']): void {
  if (policy === null) return
  const { Attempts, Interval, DelayFunction, Unlimited } = policy
  oneOf(problems, `${where}'s DelayFunction`, DelayFunction, delays)
  notNegative(problems, where, policy, rescheduleFields)
  if (Attempts <= 0) return
  if (Unlimited === true)
    problems.push(
      `${where} is ambiguous: it has Attempts ${Attempts} and is unlimited; set Unlimited to false, or Attempts to 0`,
    )
  else if (Interval === 0) problems.push(`${where} has Attempts ${Attempts} and no Interval to count them in`)
}

function checkSpreads(problems: string[], where: string, spreads: JobSpec['Spreads']): void {
  for (const { Attribute, Weight, SpreadTarget } of spreads ?? []) {
    const spread = `${where}: the spread over ${JSON.stringify(Attribute)}`
    between(problems, `${spread}: Weight`, Weight, 0, 100)
    for (const { Value, Percent } of SpreadTarget ?? [])
      between(problems, `${spread}: the Percent of ${JSON.stringify(Value)}`, Percent, 0, 100)
  }
}

function checkScaling(problems: string[], where: string, { Scaling, Count }: TaskGroup): void {
  if (Scaling === null) return
  const { Type = '', Min, Max } = Scaling
  if (Type !== '' && Type !== 'horizontal')
    problems.push(`${where}'s Type is ${shortened(JSON.stringify(Type))}, not horizontal`)
  const least = Min ?? Count
  if (!isCount(least)) problems.push(`${where}'s Min is not a whole number of at least 0`)
  if (!isCount(Max)) problems.push(`${where} needs a Max: a whole number of at least 0`)
  if (!isCount(least) || !isCount(Max)) return
  if (Max < least) problems.push(`${where}'s Max ${Max} is less than its Min ${least}`)
  else between(problems, `${where}: the Count of the group`, Count, least, Max)
}

const isCount = (value: unknown): value is number => Number.isInteger(value) && (value as number) >= 0

function checkPorts(problems: string[], where: string, networks: TaskGroup['Networks']): void {
  for (const { ReservedPorts, DynamicPorts } of networks ?? [])
    for (const ports of [ReservedPorts, DynamicPorts])
      for (const { Label, Value, To } of ports ?? []) {
        between(problems, `${where}: the Value of port ${JSON.stringify(Label)}`, Value, 0, 65_535)
        // -1 means the port itself.
        between(problems, `${where}: the To of port ${JSON.stringify(Label)}`, To, -1, 65_535)
      }
}

function notNegative<Field extends string>(
  problems: string[],
  where: string,
  values: { readonly [Each in Field]?: number | null | undefined } | null,
  fields: readonly Field[],
): void {
  if (values === null) return
  for (const field of fields) {
    const value: number | null = values[field] ?? null
    if (value !== null && value < 0) problems.push(`${where} has ${field} ${value}, less than 0`)
  }
}

function between(problems: string[], what: string, value: number, low: number, high: number): void {
  if (!(value >= low && value <= high)) problems.push(`${what} is ${value}, not between ${low} and ${high}`)
}

function oneOf(problems: string[], what: string, value: string | undefined, words: readonly string[]): void {
  if (value === undefined || value === '' || words.includes(value)) return
  problems.push(`${what} is ${JSON.stringify(shortened(value))}, not one of ${words.join(', ')}`)
}
