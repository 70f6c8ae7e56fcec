import { filterFlag } from '../client/flags.ts'
import { membersOf } from '../client/members.ts'
import { failureLines, monitor } from '../client/monitor.ts'
import { ago, printFacts, printSection, printTable } from '../client/print.ts'
import { oneByPrefix, type Row, type Scheduler, type SchedulerFlags, shortId } from '../client/scheduler.ts'
import { printed, schedulerCommand } from '../client/scheduler-command.ts'
import type { Group } from '../command/declaration.ts'
import { allocationTable } from './alloc.ts'

const hasFailures = (evaluation: Row): unknown =>
  evaluation['Status'] === 'blocked'
    ? 'N/A - In Progress'
    : Object.keys(membersOf(evaluation['FailedTGAllocs'])).length > 0

async function listEvaluations(scheduler: Scheduler, flags: SchedulerFlags, query = {}) {
  const rows = await scheduler.rows('evaluations', 'listing the evaluations', query)
  if (printed(flags, rows)) return 0
  const short = (id: unknown) => shortId(id ?? '', flags.verbose)
  printTable(
    ['ID', 'Priority', 'Triggered By', 'Job ID', 'Namespace', 'Node ID', 'Status', 'Placement Failures'],
    rows.map((row) => [
      short(row['ID']),
      ...['Priority', 'TriggeredBy', 'JobID', 'Namespace'].map((name) => row[name]),
      short(row['NodeID']),
      row['Status'],
      hasFailures(row),
    ]),
  )
  return 0
}

const list = schedulerCommand({
  about: 'list the evaluations',
  flags: {
    job: { type: 'string', value: 'JOB', about: 'only those of this job' },
    status: { type: 'string', value: 'STATUS', about: 'only those with this status' },
    ...filterFlag,
  },
  words: [],
  examples: [{ run: 'plinth eval list -status complete', about: 'those that are over' }],
  run: (scheduler, { flags }) => {
    const { job, status, filter } = flags
    const given = Object.entries({ job, status, filter }).filter(([, value]) => value !== undefined)
    return listEvaluations(scheduler, flags, Object.fromEntries(given))
  },
})

const status = schedulerCommand({
  about: 'list the evaluations, or show one: what it placed, and what it could not',
  flags: { monitor: { type: 'boolean', about: 'wait until it is over' } },
  words: [{ name: 'EVALUATION', about: 'the ID of an evaluation, or the beginning of it', optional: true }],
  examples: [{ run: 'plinth eval status', about: 'all evaluations' }],
  run: async (scheduler, { flags, words: [given] }) => {
    const { verbose } = flags
    if (given === undefined) return listEvaluations(scheduler, flags)
    const id = await oneByPrefix(scheduler, 'evaluation', given)
    if (flags.monitor) return monitor(scheduler, id, verbose)
    const evaluation = membersOf(await scheduler.ask('GET', `evaluation/${id}`, `reading ${id}`))
    const allocations = await scheduler.rows(
      `evaluation/${id}/allocations`,
      `reading the allocations of ${id}`,
    )
    if (printed(flags, { ...evaluation, PlacedAllocs: allocations })) return 0
    const failed = failureLines(evaluation['FailedTGAllocs'])
    const other = (name: string) => shortId(evaluation[name] ?? '', verbose)
    printFacts([
      ['ID', shortId(id, verbose)],
      ['Create Time', ago(evaluation['CreateTime'])],
      ['Modify Time', ago(evaluation['ModifyTime'])],
      ['Status', evaluation['Status']],
      ['Status Description', evaluation['StatusDescription'] || evaluation['Status']],
      ['Type', evaluation['Type']],
      ['TriggeredBy', evaluation['TriggeredBy']],
      ['Job ID', evaluation['JobID']],
      ['Namespace', evaluation['Namespace']],
      ...(evaluation['TriggeredBy'] === 'node-update' ? ([['Node ID', evaluation['NodeID']]] as const) : []),
      ['Priority', evaluation['Priority']],
      ['Placement Failures', hasFailures(evaluation)],
      ['Previous Eval', other('PreviousEval')],
      ['Next Eval', other('NextEval')],
      ['Blocked Eval', other('BlockedEval')],
    ])
    if (allocations.length > 0) {
      printSection('Placed Allocations')
      allocationTable(allocations, verbose)
    }
    if (failed.length > 0) {
      printSection('Failed Placements')
      for (const line of failed) process.stdout.write(`${line}\n`)
      if (evaluation['BlockedEval'])
        process.stdout.write(
          `\nEvaluation "${other('BlockedEval')}" waiting for additional capacity to place remainder\n`,
        )
    }
    return 0
  },
})

export const evaluation = {
  about: 'evaluations of the scheduler',
  commands: { list, status },
} as const satisfies Group
