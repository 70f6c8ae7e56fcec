import { ownValue } from '../../kernel/objects.ts'
import { foldText } from '../../search/index.ts'
import type { Job } from '../jobs/model.ts'
import type { Task } from '../jobs/task-group.ts'
import { fuzzyLimit, jobContexts } from './contexts.ts'

/**
 * A match of a fuzzy search.
 */
export interface FuzzyMatch {
  /** Its name; of evaluations and deployments their identifier. */
  readonly ID: string
  /** Its containers, outermost first: for a task its namespace, job and group. Omitted if there are none. */
  readonly Scope?: readonly string[]
}

interface Scored {
  readonly match: FuzzyMatch
  /** The position of the match in the name. */
  readonly at: number
}

/** The best matches of one context. */
export interface Matches {
  /** Tests one name. */
  readonly look: (name: string, scope?: readonly string[]) => void
  /** The best of them, best first, and whether there were more. */
  readonly best: () => { readonly matches: readonly FuzzyMatch[]; readonly truncated: boolean }
}

/**
 * Collects names that contain a text, case-insensitive. Names that begin with it come first; among equals the shorter
 * comes first, because it is closer to the text.
 */
export function fuzzyMatches(text: string): Matches {
  const wanted = foldText(text)
  let found: Scored[] = []
  let truncated = false
  const cut = () => {
    found.sort(better)
    truncated ||= found.length > fuzzyLimit
    found = found.slice(0, fuzzyLimit)
  }
  return {
    look: (name, scope) => {
      const at = foldText(name).indexOf(wanted)
      if (at < 0) return
      found.push({ at, match: scope === undefined ? { ID: name } : { ID: name, Scope: scope } })
      // In a large cluster, keep only as many matches as the answer needs.
      if (found.length >= 16 * fuzzyLimit) cut()
    },
    best: () => {
      cut()
      return { matches: found.map(({ match }) => match), truncated }
    },
  }
}

const better = (a: Scored, b: Scored): number =>
  a.at - b.at ||
  a.match.ID.length - b.match.ID.length ||
  compare(a.match.ID, b.match.ID) ||
  compare(String(a.match.Scope), String(b.match.Scope))

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** Tests every name in a job: its own, and those of groups, services, tasks and what tasks run. */
export function lookAtJob(
  { Name, ID, Namespace, TaskGroups }: Pick<Job, 'Name' | 'ID' | 'Namespace' | 'TaskGroups'>,
  { look }: { readonly look: (context: JobContext, name: string, scope: readonly string[]) => void },
): void {
  const job = [Namespace, ID]
  look('jobs', Name === '' ? ID : Name, job)
  for (const group of TaskGroups) {
    look('groups', group.Name, job)
    const inGroup = [...job, group.Name]
    for (const service of group.Services ?? []) look('services', service.Name, inGroup)
    for (const task of group.Tasks) {
      look('tasks', task.Name, inGroup)
      const inTask = [...inGroup, task.Name]
      for (const service of task.Services ?? []) look('services', service.Name, inTask)
      const run = runOf(task)
      if (run !== undefined) look(run.context, run.name, inTask)
    }
  }
}

type JobContext = (typeof jobContexts)[number]

/** By driver, what a task runs: the configuration field with it, and the name of its context. */
const runs: Readonly<Record<string, readonly [setting: string, context: JobContext]>> = {
  docker: ['image', 'images'],
  podman: ['image', 'images'],
  exec: ['command', 'commands'],
  raw_exec: ['command', 'commands'],
  java: ['class', 'classes'],
}

function runOf({ Driver, Config }: Pick<Task, 'Driver' | 'Config'>) {
  const run = ownValue(runs, Driver)
  if (run === undefined || Config === null) return undefined
  const [setting, context] = run
  const name = ownValue(Config, setting)
  return typeof name === 'string' ? { context, name } : undefined
}

/** A collection of matches for each context of jobs. */
export const jobMatches = (text: string) => new Map(jobContexts.map((each) => [each, fuzzyMatches(text)]))
