import { membersOf } from '../client/members.ts'
import { failureLines, monitor } from '../client/monitor.ts'
import { ago, printFacts, printSection, printTable } from '../client/print.ts'
import { oneByPrefix, shortId } from '../client/scheduler.ts'
import { printed, schedulerCommand } from '../client/scheduler-command.ts'
import type { Group } from '../command/declaration.ts'
import { allocationTable } from './alloc.ts'

const status = schedulerCommand({
  about: 'list the evaluations, or show one: what it placed, and what it could not',
  flags: { monitor: { type: 'boolean', about: 'wait until it is over' } },
  words: [{ name: 'EVALUATION', about: 'the ID of an evaluation, or the beginning of it', optional: true }],
  examples: [{ run: 'plinth eval status', about: 'all evaluations' }],
  run: async (scheduler, { flags, words: [given] }) => {
    const { verbose } = flags
    if (given === undefined) {
      const rows = await scheduler.rows('evaluations', 'listing the evaluations')
      if (printed(flags, rows)) return 0
      printTable(
        ['ID', 'Priority', 'Triggered By', 'Job ID', 'Status', 'Placement Failures'],
        rows.map((row) => [
          shortId(row['ID'], verbose),
          ...['Priority', 'TriggeredBy', 'JobID', 'Status'].map((name) => row[name]),
          Object.keys(membersOf(row['FailedTGAllocs'])).length > 0,
        ]),
      )
      return 0
    }
    const id = await oneByPrefix(scheduler, 'evaluation', given)
    if (flags.monitor) return monitor(scheduler, id, verbose)
    const evaluation = membersOf(await scheduler.ask('GET', `evaluation/${id}`, `reading ${id}`))
    const allocations = await scheduler.rows(
      `evaluation/${id}/allocations`,
      `reading the allocations of ${id}`,
    )
    if (printed(flags, { ...evaluation, PlacedAllocs: allocations })) return 0
    const failed = failureLines(evaluation['FailedTGAllocs'])
    printFacts([
      ['ID', shortId(id, verbose)],
      ['Create Time', ago(evaluation['CreateTime'])],
      ['Modify Time', ago(evaluation['ModifyTime'])],
      ['Status', evaluation['Status']],
      ['Status Description', evaluation['StatusDescription']],
      ['Type', evaluation['Type']],
      ['TriggeredBy', evaluation['TriggeredBy']],
      ['Job ID', evaluation['JobID']],
      ['Namespace', evaluation['Namespace']],
      ['Priority', evaluation['Priority']],
      ['Placement Failures', failed.length > 0],
    ])
    if (failed.length > 0) {
      printSection('Failed Placements')
      for (const line of failed) process.stdout.write(`${line}\n`)
    }
    printSection('Placed Allocations')
    allocationTable(allocations, verbose)
    return 0
  },
})

export const evaluation = {
  about: 'evaluations of the scheduler',
  commands: { status },
} as const satisfies Group
