import { type Env, type Outcome, type Refused, refuse } from '../../kernel/index.ts'
import { nanoseconds } from '../values/instants.ts'
import type { VariableRecord, VariableSpec } from './model.ts'

/** An event of a variable, for audit and metrics; never its items. */
export interface VariableChanged {
  readonly type: 'variable.written' | 'variable.deleted'
  readonly namespace: string
  readonly path: string
}

/** The maximum size of the items of a variable: bytes of all names and texts. */
const maxItemsBytes = 64 * 1024

const pathPattern = /^[a-zA-Z0-9-_~/]{1,128}$/

/** Why no variable may have this name; reserved paths are those of existing clusters. */
function nameProblem({ Namespace, Path }: VariableSpec): string | undefined {
  if (Namespace === '*') return 'can not target wildcard ("*") namespace'
  if (!pathPattern.test(Path))
    return `invalid path ${JSON.stringify(Path)}: it must match ${pathPattern.source}`
  const [first, second, ...rest] = Path.split('/')
  if (first !== 'nomad' || second === 'jobs') return undefined
  if (second === 'job-templates')
    return rest.length === 1
      ? undefined
      : '"nomad/job-templates" is a reserved path: write to the level below it, as in nomad/job-templates/NAME'
  return 'below "nomad" only "nomad/jobs" and "nomad/job-templates/NAME" can hold variables'
}

/** Why a variable is refused. */
function variableProblem(spec: VariableSpec): Refused<'invalid_variable'> | undefined {
  const { Items } = spec
  const invalid = (problem: string) => refuse('invalid_variable', problem)
  const problem = nameProblem(spec)
  if (problem !== undefined) return invalid(problem)
  if (Object.keys(Items).length === 0) return invalid('variable missing required Items object')
  const bytes = new TextEncoder()
  let size = 0
  for (const [name, text] of Object.entries(Items))
    size += bytes.encode(name).byteLength + bytes.encode(text).byteLength
  return size > maxItemsBytes ? invalid('variables are limited to 64KiB in total size') : undefined
}

/**
 * Creates a variable, or replaces all of its items.
 *
 * @param variable - the current variable at that path, if it exists
 *
 * @returns the stored variable, or `invalid_variable`
 */
export function writeVariable(
  variable: VariableRecord | undefined,
  input: VariableSpec,
  { now }: Env,
): Outcome<VariableRecord, VariableRecord, VariableChanged, 'invalid_variable'> {
  const problem = variableProblem(input)
  if (problem !== undefined) return problem
  const { Namespace, Path, Items } = input
  const ModifyTime = nanoseconds(now)
  const state = { Namespace, Path, Items, CreateTime: variable?.CreateTime ?? ModifyTime, ModifyTime }
  return {
    ok: true,
    state,
    value: state,
    events: [{ type: 'variable.written', namespace: Namespace, path: Path }],
  }
}
