import { isObject } from '../../kernel/objects.ts'
import type { JobSpec } from './model.ts'
import { bookkeeping, sameJson } from './rules.ts'
import type { Task, TaskGroup } from './task-group.ts'

/**
 * The kind of a change between two specifications.
 */
export type DiffType = 'None' | 'Added' | 'Deleted' | 'Edited'

/**
 * A changed plain value; `""` stands for a missing one.
 */
export interface FieldDiff {
  readonly Type: DiffType
  readonly Name: string
  readonly Old: string
  readonly New: string
  readonly Annotations: readonly string[] | null
}

/**
 * An object or a list that differs.
 */
export interface ObjectDiff {
  readonly Type: DiffType
  readonly Name: string
  readonly Fields: readonly FieldDiff[]
  readonly Objects: readonly ObjectDiff[]
}

/**
 * A task that differs.
 */
export interface TaskDiff extends ObjectDiff {
  readonly Annotations: readonly string[] | null
}

/**
 * A task group that differs.
 */
export interface TaskGroupDiff extends ObjectDiff {
  readonly Tasks: readonly TaskDiff[]
  /** The number of affected allocations, by kind of change. */
  readonly Updates: Readonly<Record<string, number>> | null
}

/**
 * The changes between two specifications of a job; unchanged parts are omitted.
 */
export interface JobDiff {
  readonly Type: DiffType
  readonly ID: string
  readonly Fields: readonly FieldDiff[]
  readonly Objects: readonly ObjectDiff[]
  readonly TaskGroups: readonly TaskGroupDiff[]
}

/**
 * How a job's specification differs from an earlier one.
 *
 * @param before - omitted for a new job
 *
 * @example
 * ```ts
 * import { JobSpec } from 'plinth/scheduler'
 * import { diffJobs } from 'plinth/scheduler/diff'
 *
 * const before = JobSpec.parse({ ID: 'web', Priority: 50 })
 * const diff = diffJobs(before, { ...before, Priority: 70 })
 * diff.Fields.map(({ Name, Old, New }) => `${Name}: ${Old} to ${New}`) // ['Priority: 50 to 70']
 * ```
 */
export function diffJobs(before: JobSpec | undefined, after: JobSpec): JobDiff {
  const rest = ({ TaskGroups: _, ...job }: JobSpec) =>
    Object.fromEntries(Object.entries(job).filter(([name]) => name === 'Stop' || !bookkeeping.has(name)))
  const { Fields, Objects } = diffObject('', before && rest(before), rest(after))
  const TaskGroups = byName(before?.TaskGroups ?? [], after.TaskGroups, diffGroup)
  const differs = Fields.length + Objects.length + TaskGroups.length > 0
  const Type = before === undefined ? 'Added' : differs ? 'Edited' : 'None'
  return { Type, ID: after.ID, Fields, Objects, TaskGroups }
}

function diffGroup(before: TaskGroup | undefined, after: TaskGroup | undefined): TaskGroupDiff {
  const rest = (group: TaskGroup | undefined) => {
    if (group === undefined) return undefined
    const { Tasks: _, ...others } = group
    return others
  }
  const found = diffObject(after?.Name ?? before?.Name ?? '', rest(before), rest(after))
  const Tasks = byName(before?.Tasks ?? [], after?.Tasks ?? [], diffTask)
  const Type = found.Type === 'None' && Tasks.length > 0 ? 'Edited' : found.Type
  return { ...found, Type, Tasks, Updates: null }
}

const diffTask = (before: Task | undefined, after: Task | undefined): TaskDiff => ({
  ...diffObject(after?.Name ?? before?.Name ?? '', before, after),
  Annotations: null,
})

/** The changes of named objects, in the order of their names. */
function byName<Item extends { readonly Name: string }, Diff extends { readonly Type: DiffType }>(
  before: readonly Item[],
  after: readonly Item[],
  diff: (before: Item | undefined, after: Item | undefined) => Diff,
): readonly Diff[] {
  const [old, now] = [before, after].map((items) => new Map(items.map((item) => [item.Name, item])))
  const names = [...new Set([...before, ...after].map(({ Name }) => Name))].sort()
  return names.map((name) => diff(old?.get(name), now?.get(name))).filter(({ Type }) => Type !== 'None')
}

function diffObject(Name: string, before: object | undefined, after: object | undefined): ObjectDiff {
  const [old, now] = [before, after].map((item) => new Map<string, unknown>(Object.entries(item ?? {})))
  const names = [...new Set([...(old?.keys() ?? []), ...(now?.keys() ?? [])])].sort()
  const Fields: FieldDiff[] = []
  const Objects: ObjectDiff[] = []
  for (const name of names) {
    const [from, to] = [old?.get(name), now?.get(name)]
    if (sameJson(from ?? null, to ?? null)) continue
    if (Array.isArray(from) || Array.isArray(to)) Objects.push(...diffList(name, listOf(from), listOf(to)))
    else if (isObject(from) || isObject(to))
      Objects.push(diffObject(name, isObject(from) ? from : undefined, isObject(to) ? to : undefined))
    else Fields.push(diffField(name, from, to))
  }
  const differs = Fields.length + Objects.length > 0
  const Type = after === undefined ? 'Deleted' : before === undefined ? 'Added' : differs ? 'Edited' : 'None'
  return { Type, Name, Fields, Objects }
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/** The elements in one list only: plain values together, objects one by one. */
function diffList(
  Name: string,
  before: readonly unknown[],
  after: readonly unknown[],
): readonly ObjectDiff[] {
  const lacks = (list: readonly unknown[]) => (item: unknown) => !list.some((other) => sameJson(item, other))
  const gone = before.filter(lacks(after))
  const come = after.filter(lacks(before))
  const fields = [
    ...gone.filter((item) => !isObject(item)).map((item) => diffField(Name, item, undefined)),
    ...come.filter((item) => !isObject(item)).map((item) => diffField(Name, undefined, item)),
  ]
  const [none, all] = [before.length === 0, after.length === 0]
  const Type = none ? 'Added' : all ? 'Deleted' : 'Edited'
  const plain: readonly ObjectDiff[] = fields.length > 0 ? [{ Type, Name, Fields: fields, Objects: [] }] : []
  return [
    ...plain,
    ...gone.filter(isObject).map((item) => diffObject(Name, item, undefined)),
    ...come.filter(isObject).map((item) => diffObject(Name, undefined, item)),
  ]
}

function diffField(Name: string, before: unknown, after: unknown): FieldDiff {
  const [isOld, isNew] = [before ?? '', after ?? ''].map((value) => value !== '')
  const Type = !isOld ? 'Added' : !isNew ? 'Deleted' : 'Edited'
  return { Type, Name, Old: spelled(before), New: spelled(after), Annotations: null }
}

const spelled = (value: unknown): string =>
  value === undefined || value === null
    ? ''
    : typeof value === 'object'
      ? JSON.stringify(value)
      : String(value)
