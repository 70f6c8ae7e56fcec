import { setTimeout as pause } from 'node:timers/promises'
import { UserError } from '../user-error.ts'
import { membersOf } from './members.ts'
import { say } from './print.ts'
import { askingBy, type Row, type Scheduler, type SchedulerFlags, shortId } from './scheduler.ts'
import { printed } from './scheduler-command.ts'

const head = (text: string) => say(`==> ${new Date().toISOString().slice(0, 19)}Z: ${text}`)
const lookMs = 200

const counted = (value: unknown) => Object.entries(membersOf(value)).filter(([, count]) => Number(count) > 0)

/** Why allocations of each group could not be placed, line by line. */
export function failureLines(failed: unknown): readonly string[] {
  return Object.entries(membersOf(failed)).flatMap(([group, value]) => {
    const metrics = membersOf(value)
    const number = Number(metrics['CoalescedFailures'] ?? 0) + 1
    const exhausted = Number(metrics['NodesExhausted'] ?? 0)
    const why = [
      ...(Number(metrics['NodesEvaluated'] ?? 0) === 0 ? ['No nodes were eligible for evaluation'] : []),
      ...Object.entries(membersOf(metrics['NodesAvailable']))
        .filter(([, count]) => count === 0)
        .map(([name]) => `No nodes are available in datacenter "${name}"`),
      ...counted(metrics['ClassFiltered']).map(
        ([name, count]) => `Class "${name}": ${count} nodes excluded by filter`,
      ),
      ...counted(metrics['ConstraintFiltered']).map(
        ([name, count]) => `Constraint "${name}": ${count} nodes excluded by filter`,
      ),
      ...(exhausted > 0 ? [`Resources exhausted on ${exhausted} nodes`] : []),
      ...counted(metrics['ClassExhausted']).map(
        ([name, count]) => `Class "${name}" exhausted on ${count} nodes`,
      ),
      ...counted(metrics['DimensionExhausted']).map(
        ([name, count]) => `Dimension "${name}" exhausted on ${count} nodes`,
      ),
    ]
    return [
      `Task Group "${group}" (failed to place ${number} allocation${number === 1 ? '' : 's'}):`,
      ...why.map((each) => `  * ${each}`),
    ]
  })
}

/** What is followed goes on while a server restarts, and so does who follows it. */
const patient = ({ ask }: Scheduler): Scheduler =>
  askingBy((method, path, what, more) => ask(method, path, what, { ...more, isPatient: true }))

/**
 * Waits for an evaluation, says what it placed and what it could not, and follows its deployment.
 *
 * @returns the exit code: 2 if something could not be placed, 1 if the evaluation or the deployment failed
 */
export async function monitor(through: Scheduler, id: string, verbose: boolean): Promise<number> {
  const scheduler = patient(through)
  const short = (text: unknown) => shortId(text, verbose)
  head(`Monitoring evaluation "${short(id)}"`)
  const seen = new Set<string>()
  for (;;) {
    const evaluation = membersOf(await scheduler.ask('GET', `evaluation/${id}`, `reading evaluation ${id}`))
    if (seen.size === 0) {
      seen.add(id)
      say(`    Evaluation triggered by job "${String(evaluation['JobID'])}"`)
    }
    const { Status } = evaluation
    for (const row of await scheduler.rows(`evaluation/${id}/allocations`, 'reading its allocations')) {
      if (seen.has(String(row['ID']))) continue
      seen.add(String(row['ID']))
      const done = row['EvalID'] === id ? 'created' : 'modified'
      say(
        `    Allocation "${short(row['ID'])}" ${done}: node "${short(row['NodeID'])}", group "${String(row['TaskGroup'])}"`,
      )
    }
    if (Status === 'pending' || Status === 'blocked') {
      await pause(lookMs)
      continue
    }
    const failed = membersOf(evaluation['FailedTGAllocs'])
    const isWhole = Object.keys(failed).length === 0
    head(
      `Evaluation "${short(id)}" finished with status "${String(Status)}"${isWhole ? '' : ' but failed to place all allocations:'}`,
    )
    for (const line of failureLines(failed)) say(`    ${line}`)
    const blocked = String(evaluation['BlockedEval'] ?? '')
    if (blocked !== '')
      say(`    Evaluation "${short(blocked)}" waiting for additional capacity to place remainder`)
    if (Status !== 'complete') {
      say(`    ${String(evaluation['StatusDescription'] ?? '')}`)
      return 1
    }
    if (!isWhole) return 2
    const deployment =
      String(evaluation['DeploymentID'] ?? '') || (await newestDeployment(scheduler, evaluation))
    return deployment === '' ? 0 : followDeployment(scheduler, deployment, verbose)
  }
}

/** The deployment of the job's present version, if it runs. */
async function newestDeployment(scheduler: Scheduler, evaluation: Row): Promise<string> {
  const job = String(evaluation['JobID'])
  const query = { namespace: String(evaluation['Namespace'] ?? 'default') }
  const found = await scheduler.ask('GET', `job/${job}/deployment`, `reading the deployment of ${job}`, {
    query,
  })
  const { ID = '', Status } = membersOf(found)
  return Status === 'running' || Status === 'pending' || Status === 'blocked' ? String(ID) : ''
}

const deploymentColumns = {
  'Task Group': '',
  'Auto Revert': 'AutoRevert',
  Promoted: 'Promoted',
  Desired: 'DesiredTotal',
  Canaries: 'DesiredCanaries',
  Placed: 'PlacedAllocs',
  Healthy: 'HealthyAllocs',
  Unhealthy: 'UnhealthyAllocs',
  'Progress Deadline': 'RequireProgressBy',
} as const

/** The columns that the lines of a monitored deployment leave out. */
const leftOut = new Set(['Task Group', 'Auto Revert', 'Progress Deadline'])

/** The groups of a deployment, as rows of a table below their names. */
export function deploymentTable(
  deployment: Row,
): readonly [readonly string[], readonly (readonly unknown[])[]] {
  const groups = Object.entries(membersOf(deployment['TaskGroups']))
  const some = (test: (group: Row) => boolean) => groups.some(([, group]) => test(membersOf(group)))
  const hasCanaries = some((group) => Number(group['DesiredCanaries']) > 0)
  const shown: Readonly<Record<string, boolean>> = {
    'Auto Revert': some((group) => group['AutoRevert'] === true),
    Promoted: hasCanaries,
    Canaries: hasCanaries,
    'Progress Deadline': some(({ RequireProgressBy: at }) => Boolean(at) && !String(at).startsWith('0001')),
  }
  const names = Object.entries(deploymentColumns).filter(([name]) => shown[name] ?? true)
  return [
    names.map(([name]) => name),
    groups.map(([group, state]) =>
      names.map(([, field]) => (field === '' ? group : membersOf(state)[field])),
    ),
  ]
}

/** Waits until a deployment is over; says each change. @returns the exit code */
export async function followDeployment(through: Scheduler, id: string, verbose: boolean): Promise<number> {
  const scheduler = patient(through)
  head(`Monitoring deployment "${shortId(id, verbose)}"`)
  for (let before = ''; ; await pause(lookMs)) {
    const deployment = membersOf(await scheduler.ask('GET', `deployment/${id}`, `reading deployment ${id}`))
    const [names, rows] = deploymentTable(deployment)
    const now = rows.map((row) =>
      names.flatMap((name, at) => (leftOut.has(name) ? [] : `${name} ${String(row[at])}`)).join(', '),
    )
    const Status = String(deployment['Status'])
    const text = rows.map(([group], at) => `    ${String(group)}: ${now[at]}`).join('\n')
    if (text !== before) say(text)
    before = text
    if (Status === 'running' || Status === 'pending' || Status === 'blocked' || Status === 'paused') continue
    head(`Deployment "${shortId(id, verbose)}" ${Status}: ${String(deployment['StatusDescription'])}`)
    return Status === 'successful' ? 0 : 1
  }
}

/** Prints the answer of a write as data, or says that it was accepted and monitors its evaluation. */
export async function afterWrite(
  scheduler: Scheduler,
  given: unknown,
  done: string,
  flags: Pick<SchedulerFlags, 'json' | 'format' | 'verbose'> & { readonly detach: boolean },
): Promise<number> {
  if (printed(flags, given)) return 0
  const { detach, verbose } = flags
  const answer = membersOf(given)
  if (answer['Warnings']) process.stderr.write(`warning: ${String(answer['Warnings'])}\n`)
  const id = String(answer['EvalID'] ?? '')
  if (id === '') {
    say(done)
    return 0
  }
  if (detach) {
    say(`${done}\nEvaluation ID: ${shortId(id, verbose)}`)
    return 0
  }
  return monitor(scheduler, id, verbose)
}

/** Refuses a text that is not a whole number. */
export function wholeNumber(text: string, what: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new UserError(`${what} must be a whole number, not "${text}"`, 2)
  return Number(text)
}
