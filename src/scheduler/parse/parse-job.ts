import { type Body, type Plain, problemAt, readHcl } from '../../hcl/index.ts'
import { checkArguments } from '../../kernel/check-arguments.ts'
import { type Refused, refuse } from '../../kernel/index.ts'
import { runToEnd } from '../../kernel/run-to-end.ts'
import { evaluateFile } from './evaluate-file.ts'
import { type Fields, readBlock, Unreadable } from './read-block.ts'
import { job } from './shapes.ts'

/**
 * A job parsed from a text, with its JSON names; fields missing in the text are missing.
 */
export interface ParsedJob {
  readonly ID: Plain
  readonly Name: Plain
  readonly [field: string]: Plain
}

/**
 * Reads a job file: one `job` block in the configuration language (HCL), with groups, tasks and everything else a job
 * is registered with. `variable` and `locals` blocks, operators and a table of pure functions are evaluated; none of them
 * reads files or the environment. Texts for the nodes, such as `${attr.kernel.name}`, stay as they are.
 *
 * @param variables - values of its variables, as lines `name = value`
 * @returns the job, or `invalid_job_text` with a message that begins with line and column
 *
 * @example
 * ```ts
 * import { unwrap } from 'plinth'
 * import { parseJob } from 'plinth/scheduler/parse'
 *
 * const read = parseJob('job "web" { group "app" { task "server" { kill_timeout = "20s" } } }')
 * unwrap(read).TaskGroups // [{ Name: 'app', Tasks: [{ Name: 'server', KillTimeout: 20e9 }] }]
 * ```
 */
export function parseJob(
  text: string,
  variables = '',
): { readonly ok: true; readonly value: ParsedJob } | Refused<'invalid_job_text'> {
  checkArguments('text', text)
  checkArguments('variables', variables)
  return runToEnd(parsingJob(text, variables))
}

type Outcome<Value> = { readonly ok: true; readonly value: Value } | Refused<'invalid_job_text'>

/** Reads a job file like {@link parseJob}, in steps between which the event loop may continue. */
export function* parsingJob(text: string, variables: string): Generator<undefined, Outcome<ParsedJob>> {
  if (text.length > longest || variables.length > longest)
    return refuse('invalid_job_text', `the text is longer than ${longest} characters`)
  // In JSON, values are what they are.
  const isJson = text.trimStart().startsWith('{')
  const read = isJson ? readHcl(text) : yield* evaluateFile(text, variables)
  if (!read.ok) return unreadable(read)
  yield
  try {
    const found = jobOf(read.value)
    yield
    return { ok: true, value: completed(found) }
  } catch (error) {
    if (error instanceof Unreadable) return unreadable(error.refused)
    throw error
  }
}

/** The most characters of a job file. */
const longest = 1024 * 1024

const unreadable = ({ refusal }: Refused<'hcl_syntax'>): Refused<'invalid_job_text'> =>
  refuse('invalid_job_text', refusal.message, refusal.detail)

type JobFields = Fields & { readonly ID: string }

/** The fields of the one job of a file. */
function jobOf(root: Body): JobFields {
  for (const { keys, at } of root.entries)
    if (keys[0]?.text !== 'job') {
      const name = keys[0]?.text ?? ''
      throw new Unreadable(
        problemAt(at, `"${name}" is not expected here; a job file is one job "name" { … }`),
      )
    }
  const [first, second] = root.entries
  if (first === undefined) throw new Unreadable(problemAt(root.at, 'expected job "name" { … }'))
  if (second !== undefined) throw new Unreadable(problemAt(second.at, 'a job file holds one job'))
  const fields = readBlock(root, { fields: {}, named: { job: ['jobs', job, 'ID'] } })
  const jobs = (fields['jobs'] ?? []) as readonly JobFields[] // the only field of that shape
  const [found, another] = jobs
  if (found === undefined || another !== undefined)
    throw new Unreadable(problemAt(first.at, 'a job file holds one job'))
  return found
}

/** Tasks outside of groups become groups of their own, and settings for all groups or tasks are copied into each. */
function completed({ Tasks, Vault, ReschedulePolicy, Migrate, Periodic, ...fields }: JobFields): ParsedJob {
  const listed = (value: Plain | undefined) => (Array.isArray(value) ? value : []) as readonly Fields[]
  const own = listed(Tasks).map((task) => ({ Name: task['Name'] ?? '', Tasks: [task] }))
  const shared = {
    ...(ReschedulePolicy === undefined ? {} : { ReschedulePolicy }),
    ...(Migrate === undefined ? {} : { Migrate }),
  }
  const given: readonly Fields[] = [...listed(fields['TaskGroups']), ...own]
  const groups = given.map(({ Vault: ofGroup = Vault, ...group }) => ({
    ...shared,
    ...group,
    ...('Volumes' in group ? { Volumes: byName(listed(group['Volumes'])) } : {}),
    ...(ofGroup === undefined || !('Tasks' in group)
      ? {}
      : { Tasks: listed(group['Tasks']).map((task) => ({ Vault: ofGroup, ...task })) }),
  }))
  return {
    ...fields,
    Name: fields['Name'] ?? fields.ID,
    ...(Periodic === undefined ? {} : { Periodic: scheduled(Periodic) }),
    TaskGroups: groups,
  }
}

const byName = (volumes: readonly Fields[]): Plain =>
  Object.fromEntries(volumes.map((volume) => [String(volume['Name']), volume]))

/** A list of schedules may be given under either name. */
const scheduled = (periodic: Plain): Plain => {
  const { Spec, ...rest } = periodic as Fields // a block of its own shape
  return Array.isArray(Spec) ? { ...rest, Specs: Spec } : (periodic as Fields)
}
