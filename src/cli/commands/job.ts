import { jobFileWord, readJob } from '../client/job-file.ts'
import { membersOf } from '../client/members.ts'
import { printData, printRows, printTable } from '../client/print.ts'
import { connectScheduler, schedulerEnvironment, schedulerFlags } from '../client/scheduler.ts'
import { command, type Group, type Word } from '../command/declaration.ts'
import { UserError } from '../user-error.ts'

const jobWord = { name: 'JOB', about: 'the ID of a job' } as const satisfies Word

const run = command({
  about: 'register a job, or a new version of it',
  flags: schedulerFlags,
  words: [jobFileWord],
  examples: [{ run: 'plinth job run web.json', about: 'register it; plinth job status shows the result' }],
  environment: schedulerEnvironment,
  run: async ({ flags, words: [file] }) => {
    const scheduler = connectScheduler(flags)
    const { job, id } = await readJob(scheduler, file)
    const answer = membersOf(await scheduler.ask('PUT', 'jobs', `registering ${id}`, { body: { Job: job } }))
    if (printData(flags.format, answer)) return
    if (answer['Warnings']) process.stderr.write(`warning: ${String(answer['Warnings'])}\n`)
    process.stdout.write(`registered ${id}, evaluation ${String(answer['EvalID'] ?? '') || 'none'}\n`)
  },
})

const status = command({
  about: 'list the jobs, or show one with its allocations',
  flags: schedulerFlags,
  words: [{ ...jobWord, optional: true }],
  examples: [
    { run: 'plinth job status', about: 'all jobs' },
    { run: 'plinth job status web', about: 'one job' },
  ],
  environment: schedulerEnvironment,
  run: async ({ flags, words: [id] }) => {
    const scheduler = connectScheduler(flags)
    if (id === undefined) {
      const jobs = await scheduler.rows('jobs', 'listing the jobs')
      if (printData(flags.format, jobs)) return
      const columns = ['ID', 'Type', 'Priority', 'Status']
      return printTable(
        columns,
        jobs.map((job) => columns.map((name) => job[name])),
      )
    }
    const job = membersOf(await scheduler.ask('GET', `job/${id}`, `reading ${id}`))
    const allocations = await scheduler.rows(`job/${id}/allocations`, `reading the allocations of ${id}`)
    if (printData(flags.format, { Job: job, Allocations: allocations })) return
    printRows(
      ['ID', 'Name', 'Namespace', 'Type', 'Priority', 'Version', 'Status'].map((name) => [name, job[name]]),
    )
    process.stdout.write('\n')
    const columns = ['ID', 'NodeName', 'TaskGroup', 'JobVersion', 'DesiredStatus', 'ClientStatus']
    printTable(
      columns,
      allocations.map((each) => columns.map((name) => each[name])),
    )
  },
})

const stop = command({
  about: 'stop a job',
  flags: { purge: { type: 'boolean', about: 'delete the job, too' }, ...schedulerFlags },
  words: [jobWord],
  examples: [{ run: 'plinth job stop cache', about: 'its allocations stop; the job stays' }],
  environment: schedulerEnvironment,
  run: async ({ flags, words: [id] }) => {
    const scheduler = connectScheduler(flags)
    // Otherwise, stopping a job that does not exist would seem to succeed.
    await scheduler.ask('GET', `job/${id}`, `stopping ${id}`)
    const query = { purge: String(flags.purge) }
    const answer = membersOf(await scheduler.ask('DELETE', `job/${id}`, `stopping ${id}`, { query }))
    if (printData(flags.format, answer)) return
    const done = flags.purge ? 'removed' : 'stopped'
    process.stdout.write(`${done} ${id}, evaluation ${String(answer['EvalID'] ?? '') || 'none'}\n`)
  },
})

const plan = command({
  about: 'show what registering a job would change',
  flags: schedulerFlags,
  words: [jobFileWord],
  examples: [{ run: 'plinth job plan web.json', about: 'what would be placed, stopped, updated' }],
  exits: {
    0: 'nothing would be created or stopped',
    1: 'allocations would be created or stopped',
    2: 'the command line is wrong',
    255: 'failed; standard error says why',
  },
  environment: schedulerEnvironment,
  run: async ({ flags, words: [file] }) => {
    try {
      const scheduler = connectScheduler(flags)
      const { job, id } = await readJob(scheduler, file)
      const answer = membersOf(
        await scheduler.ask('PUT', `job/${id}/plan`, `planning ${id}`, { body: { Job: job, Diff: true } }),
      )
      const updates = Object.entries(membersOf(membersOf(answer['Annotations'])['DesiredTGUpdates']))
      if (!printData(flags.format, answer)) {
        printRows([
          ['Job', id],
          ['Change', membersOf(answer['Diff'])['Type'] ?? 'None'],
          ['JobModifyIndex', answer['JobModifyIndex']],
        ])
        process.stdout.write('\n')
        const columns = ['Place', 'Stop', 'DestructiveUpdate', 'InPlaceUpdate', 'Canary', 'Ignore']
        printTable(
          ['Group', ...columns],
          updates.map(([group, counts]) => [group, ...columns.map((name) => membersOf(counts)[name] ?? 0)]),
        )
        if (answer['Warnings']) process.stderr.write(`warning: ${String(answer['Warnings'])}\n`)
      }
      const changing = ['Place', 'Stop', 'DestructiveUpdate', 'Canary', 'Migrate', 'Preemptions']
      const changes = updates.some(([, counts]) =>
        changing.some((name) => Number(membersOf(counts)[name] ?? 0) > 0),
      )
      return changes ? 1 : 0
    } catch (error) {
      if (error instanceof UserError && error.exitCode === 1) throw new UserError(error.message, 255)
      throw error
    }
  },
})

export const job = {
  about: 'jobs of the scheduler',
  commands: { run, status, stop, plan },
} as const satisfies Group
