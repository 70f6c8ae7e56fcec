import { checkArguments } from '../../kernel/check-arguments.ts'
import type { Env, Instant } from '../../kernel/index.ts'
import { nextLaunch } from '../periodic/schedule.ts'
import type { JobSpec } from './model.ts'
import type { TaskGroup } from './task-group.ts'

/**
 * Warnings for the author of a valid job.
 *
 * @param env - the time of writing: a schedule without a later time gets a warning
 *
 * @example
 * ```ts
 * import { JobSpec, jobWarnings } from 'plinth/scheduler'
 *
 * const job = JobSpec.parse({ ID: 'web', Update: { MaxParallel: 5 }, TaskGroups: [{ Name: 'app', Count: 2 }] })
 * jobWarnings(job).length // 1
 * ```
 */
export function jobWarnings(job: JobSpec, { now }: Pick<Env, 'now'> = { now: 0 }): readonly string[] {
  checkArguments('job', job)
  return [
    ...jobWide(job, now),
    ...job.TaskGroups.flatMap((group) => [...updates(job, group), ...unsupported(job, group)]),
  ]
}

/** Unsupported settings of the whole job. */
function jobWide(
  { Type, AllAtOnce, Affinities, Spreads, Periodic }: JobSpec,
  now: Instant,
): readonly string[] {
  const warnings: string[] = []
  if (Periodic?.Enabled === true && nextLaunch(Periodic, now) === undefined)
    warnings.push('The schedule has no future time before the year 2100: the job is never launched.')
  if (AllAtOnce)
    warnings.push('AllAtOnce has no effect: allocations are placed as resources allow, and the others wait.')
  if (Type.startsWith('sys') && ((Affinities ?? []).length > 0 || (Spreads ?? []).length > 0))
    warnings.push(
      `Affinities and spreads have no effect: a job of type "${Type}" runs on every node that can take it.`,
    )
  return warnings
}

function updates(job: JobSpec, { Name, Count, Update }: TaskGroup): readonly string[] {
  const warnings: string[] = []
  const strategy = job.Type === 'service' ? (Update ?? job.Update) : null
  if (strategy === null) return warnings
  const { MaxParallel, Canary, AutoPromote } = strategy
  if (Count > 1 && MaxParallel > Count)
    warnings.push(
      `Group "${Name}": update max parallel count is greater than task group count (${MaxParallel} > ${Count}). A destructive change would replace all allocations at once.`,
    )
  if (AutoPromote && Canary === 0)
    warnings.push(`Group "${Name}": auto promote has no effect without canaries.`)
  return warnings
}

const keptInTasks = [
  'Identity',
  'Identities',
  'Vault',
  'Consul',
  'CSIPluginConfig',
  'Schedule',
  'Actions',
  'Secrets',
  'ScalingPolicies',
]

/** Settings of a group that placement ignores. */
function unsupported({ Type }: JobSpec, group: TaskGroup): readonly string[] {
  const { Name, EphemeralDisk, Volumes, Networks, Affinities, Spreads, Tasks } = group
  const warnings: string[] = []
  const warn = (what: string) => warnings.push(`Group "${Name}": ${what}`)
  if (EphemeralDisk?.Sticky === true || EphemeralDisk?.Migrate === true)
    warn('a sticky or migrated ephemeral disk has no effect: a new allocation starts with an empty one.')
  for (const [volume, { Type: kind }] of Object.entries(Volumes ?? {}))
    if (kind !== 'host')
      warn(
        `volume "${volume}" is of type ${JSON.stringify(kind ?? '')}, and only "host" volumes choose nodes.`,
      )
  const networks = [...(Networks ?? []), ...Tasks.flatMap(({ Resources }) => Resources.Networks ?? [])]
  for (const { Mode, MBits, ReservedPorts, DynamicPorts } of networks) {
    if (Mode !== '' && Mode !== 'host' && Mode !== 'none')
      warn(`network mode "${Mode}": nodes that report no network may be taken, too.`)
    if (MBits > 0) warn('mbits has no effect: bandwidth is not reserved.')
    for (const { Label, HostNetwork } of [...(ReservedPorts ?? []), ...(DynamicPorts ?? [])])
      if (HostNetwork !== '' && HostNetwork !== 'default')
        warn(
          `port "${Label}" asks for host network "${HostNetwork}"; ports are reserved on all networks of a node.`,
        )
  }
  const settings = (what: string, where: object, names: readonly string[]) => {
    for (const name of names) {
      const found: unknown = Reflect.get(where, name)
      if (typeof found === 'object' && found !== null && Object.keys(found).length > 0)
        warn(`${what}${name} has no effect: it is kept and returned as it is.`)
    }
  }
  settings('', group, ['Consul'])
  if ((group.MaxRunDuration ?? 0) > 0) warn('MaxRunDuration has no effect: allocations run until they end.')
  if (group.PreventRescheduleOnLost === true)
    warn('PreventRescheduleOnLost has no effect: use Disconnect with LostAfter, and Replace false.')
  for (const task of Tasks) settings(`task "${task.Name}": `, task, keptInTasks)
  for (const service of [group, ...Tasks].flatMap(({ Services }) => Services ?? []))
    settings(`service "${service.Name}": `, service, ['Connect', 'Identity', 'CheckRestart'])
  const leanings = [Affinities, Spreads, ...Tasks.map((task) => task.Affinities)]
  if (Type.startsWith('sys') && leanings.some((each) => (each ?? []).length > 0))
    warn(`affinities and spreads have no effect in a job of type "${Type}".`)
  for (const { Name: task, Resources } of Tasks) {
    if (Resources.MemoryMaxMB > 0)
      warn(`task "${task}": memory_max has no effect on placement, which reserves memory alone.`)
  }
  return warnings
}

/** Appends warnings to an existing text. */
export function withWarnings(text: string, more: readonly string[]): string {
  if (more.length === 0 || text === '') return text === '' ? listWarnings(more) : text
  const listed = text.slice(text.indexOf('\n\n* ') + 4)
  return listWarnings([...listed.split('\n* '), ...more])
}

/** Several warnings in one text, as clients of this service know it; empty for none. */
export const listWarnings = (warnings: readonly string[]): string =>
  warnings.length === 0
    ? ''
    : `${warnings.length} warning${warnings.length === 1 ? '' : 's'}:\n\n${warnings.map((each) => `* ${each}`).join('\n')}`
