import { existsSync, writeFileSync } from 'node:fs'
import { jobFileFlags, jobFileWord, readJob } from '../client/job-file.ts'
import { membersOf } from '../client/members.ts'
import { afterWrite, deploymentTable, failureLines, monitor, wholeNumber } from '../client/monitor.ts'
import { printFacts, printSection, printTable, say, time } from '../client/print.ts'
import { longJob, shortJob } from '../client/sample-jobs.ts'
import { type Row, type Scheduler, shortId } from '../client/scheduler.ts'
import { printed, schedulerCommand } from '../client/scheduler-command.ts'
import { command, type Group, type Word } from '../command/declaration.ts'
import { UserError } from '../user-error.ts'
import { allocationTable } from './alloc.ts'

const jobWord = { name: 'JOB', about: 'the ID of a job' } as const satisfies Word
const detachFlag = {
  detach: { type: 'boolean', about: 'do not wait for the evaluation and the deployment' },
} as const
const waits = {
  0: 'everything was placed, and the deployment succeeded',
  1: 'failed; standard error says why, or the deployment did',
  2: 'something could not be placed, or the command line is wrong',
} as const

const read = async (scheduler: Scheduler, id: string, query = {}): Promise<Row> =>
  membersOf(await scheduler.ask('GET', `job/${id}`, `reading ${id}`, { query }))

const run = schedulerCommand({
  about: 'register a job or a new version of it, and follow it until it runs',
  flags: {
    ...detachFlag,
    'check-index': {
      type: 'string',
      value: 'INDEX',
      about: 'only if the job has this JobModifyIndex; 0: if there is none',
    },
    ...jobFileFlags,
  },
  words: [jobFileWord],
  examples: [
    { run: 'plinth job run -detach web.json', about: 'register it; plinth job status shows the result' },
    { run: 'plinth job run web.json', about: 'and wait until it runs' },
  ],
  exits: waits,
  run: async (scheduler, { flags, words: [file] }) => {
    const { job, id } = await readJob(scheduler, file, flags)
    const index = flags['check-index']
    const enforced =
      index === undefined ? {} : { EnforceIndex: true, JobModifyIndex: wholeNumber(index, '-check-index') }
    const body = { Job: job, ...enforced }
    const answer = await scheduler.ask('PUT', 'jobs', `registering ${id}`, { body })
    return afterWrite(scheduler, answer, 'Job registration successful', flags)
  },
})

const groupColumns = ['Queued', 'Starting', 'Running', 'Failed', 'Complete', 'Lost', 'Unknown']

const printJobs = (jobs: readonly Row[]): void =>
  printTable(
    ['ID', 'Type', 'Priority', 'Status', 'Submit Date'],
    jobs.map(({ ID, Type, Priority, Status, SubmitTime }) => [ID, Type, Priority, Status, time(SubmitTime)]),
  )

function printJob(job: Row): void {
  printFacts([
    ['ID', job['ID']],
    ['Name', job['Name']],
    ['Submit Date', time(job['SubmitTime'])],
    ['Type', job['Type']],
    ['Priority', job['Priority']],
    ['Datacenters', [job['Datacenters'] ?? []].flat().join(',')],
    ['Namespace', job['Namespace']],
    ['Node Pool', job['NodePool']],
    ['Status', job['Stop'] === true ? `${String(job['Status'])} (stopped)` : job['Status']],
    ['Periodic', job['Periodic'] !== null],
    ['Parameterized', job['ParameterizedJob'] !== null],
  ])
}

/** Why the newest evaluation that placed too little did so, if the job still waits for room. */
function printPlacementFailure(evaluations: readonly Row[]): void {
  const newest = [...evaluations].sort((a, b) => Number(b['CreateIndex']) - Number(a['CreateIndex']))
  const isBlocked = newest.some((each) => each['Status'] === 'blocked')
  const failed = isBlocked && newest.find((each) => Object.keys(membersOf(each['FailedTGAllocs'])).length > 0)
  if (failed) {
    printSection('Placement Failure')
    for (const line of failureLines(failed['FailedTGAllocs'])) say(line)
  }
}

const status = schedulerCommand({
  about: 'list the jobs, or show one with its allocations, and why some were not placed',
  flags: {},
  words: [{ ...jobWord, optional: true }],
  examples: [
    { run: 'plinth job status', about: 'all jobs' },
    { run: 'plinth job status web', about: 'one job' },
  ],
  run: async (scheduler, { flags, words: [id] }) => {
    if (id === undefined) {
      const jobs = await scheduler.rows('jobs', 'listing the jobs')
      if (!printed(flags, jobs)) printJobs(jobs)
      return
    }
    const { verbose } = flags
    const job = await read(scheduler, id)
    const about = (path: string) => scheduler.rows(`job/${id}/${path}`, `reading the ${path} of ${id}`)
    const [allocations, evaluations] = [await about('allocations'), await about('evaluations')]
    const summary = membersOf(await scheduler.ask('GET', `job/${id}/summary`, `reading the summary of ${id}`))
    const deployment = membersOf(
      await scheduler.ask('GET', `job/${id}/deployment`, `reading the deployment of ${id}`),
    )
    if (printed(flags, { Job: job, Summary: summary, Allocations: allocations, Evaluations: evaluations }))
      return
    printJob(job)
    printSection('Summary')
    printTable(
      ['Task Group', ...groupColumns],
      Object.entries(membersOf(summary['Summary'])).map(([name, counts]) => [
        name,
        ...groupColumns.map((column) => membersOf(counts)[column] ?? 0),
      ]),
    )
    printPlacementFailure(evaluations)
    if (deployment['ID'] !== undefined) {
      printSection('Latest Deployment')
      printFacts([
        ['ID', shortId(deployment['ID'], verbose)],
        ['Status', deployment['Status']],
        ['Description', deployment['StatusDescription']],
      ])
      printSection('Deployed')
      printTable(...deploymentTable(deployment))
    }
    printSection('Allocations')
    allocationTable(allocations, verbose)
  },
})

const stop = schedulerCommand({
  about: 'stop a job',
  flags: { purge: { type: 'boolean', about: 'delete the job, too' }, ...detachFlag },
  words: [jobWord],
  examples: [{ run: 'plinth job stop cache', about: 'its allocations stop; the job stays' }],
  exits: waits,
  run: async (scheduler, { flags, words: [id] }) => {
    // Otherwise, stopping a job that does not exist would seem to succeed.
    await read(scheduler, id)
    const query = { purge: String(flags.purge) }
    const answer = await scheduler.ask('DELETE', `job/${id}`, `stopping ${id}`, { query })
    // The evaluation of a purged job is gone with it.
    return afterWrite(scheduler, answer, `${flags.purge ? 'removed' : 'stopped'} ${id}`, {
      ...flags,
      detach: flags.detach || flags.purge,
    })
  },
})

const marks: Readonly<Record<string, string>> = { Added: '+', Deleted: '-', Edited: '+/-' }

/** The lines of a diff: fields, objects, groups and tasks. */
function diffLines(diff: Row, title: string, indent = ''): readonly string[] {
  const parts = (name: string) => (Array.isArray(diff[name]) ? (diff[name] as readonly Row[]) : [])
  const changed = ({ Type }: Row) => Type !== 'None'
  const mark = marks[String(diff['Type'])] ?? ''
  const notes = Object.entries(membersOf(diff['Updates'])).map(([what, count]) => `${String(count)} ${what}`)
  const inner = `${indent}  `
  const value = (each: Row) => {
    const [before, now] = [JSON.stringify(each['Old']), JSON.stringify(each['New'])]
    const said = each['Type'] === 'Added' ? now : each['Type'] === 'Deleted' ? before : `${before} => ${now}`
    const why = Array.isArray(each['Annotations']) ? ` (${each['Annotations'].join(', ')})` : ''
    return `${inner}${marks[String(each['Type'])] ?? ''} ${String(each['Name'])}: ${said}${why}`
  }
  return [
    `${indent}${mark} ${title}${notes.length > 0 ? ` (${notes.join(', ')})` : ''}`.trimEnd(),
    ...parts('Fields').filter(changed).map(value),
    ...parts('Objects')
      .filter(changed)
      .flatMap((each) => diffLines(each, String(each['Name']), inner)),
    ...parts('TaskGroups').flatMap((each) =>
      diffLines(each, `Task Group: "${String(each['Name'])}"`, indent),
    ),
    ...parts('Tasks')
      .filter(changed)
      .flatMap((each) => diffLines(each, `Task: "${String(each['Name'])}"`, inner)),
  ]
}

const plan = schedulerCommand({
  about: 'show what registering a job would change',
  flags: jobFileFlags,
  words: [jobFileWord],
  examples: [{ run: 'plinth job plan web.json', about: 'what would be placed, stopped, updated' }],
  exits: {
    0: 'nothing would be created or stopped',
    1: 'allocations would be created or stopped',
    2: 'the command line is wrong',
    255: 'failed; standard error says why',
  },
  run: async (scheduler, { flags, words: [file] }) => {
    try {
      const { job, id } = await readJob(scheduler, file, flags)
      const answer = membersOf(
        await scheduler.ask('PUT', `job/${id}/plan`, `planning ${id}`, { body: { Job: job, Diff: true } }),
      )
      const updates = Object.entries(membersOf(membersOf(answer['Annotations'])['DesiredTGUpdates']))
      if (!printed(flags, answer)) {
        for (const line of diffLines(membersOf(answer['Diff']), `Job: "${id}"`)) say(line)
        printSection('Scheduler dry-run:')
        const failed = failureLines(answer['FailedTGAllocs'])
        for (const line of failed.length === 0
          ? ['- All tasks successfully allocated.']
          : ['- WARNING: Failed to place all allocations.', ...failed.map((each) => `  ${each}`)])
          say(line)
        if (answer['NextPeriodicLaunch'] && !String(answer['NextPeriodicLaunch']).startsWith('0001'))
          say(`- If submitted now, next periodic launch would be at ${String(answer['NextPeriodicLaunch'])}.`)
        say(`\nJob Modify Index: ${String(answer['JobModifyIndex'])}`)
        say('To submit the job only if it is still at this index, run:\n')
        say(`plinth job run -check-index ${String(answer['JobModifyIndex'])} ${file}`)
        if (answer['Warnings']) process.stderr.write(`warning: ${String(answer['Warnings'])}\n`)
      }
      const changing = ['Place', 'Stop', 'DestructiveUpdate', 'Canary', 'Migrate', 'Preemptions']
      return updates.some(([, counts]) => changing.some((name) => Number(membersOf(counts)[name] ?? 0) > 0))
        ? 1
        : 0
    } catch (error) {
      if (error instanceof UserError && error.exitCode === 1) throw new UserError(error.message, 255)
      throw error
    }
  },
})

const history = schedulerCommand({
  about: 'list the versions of a job',
  flags: { p: { type: 'boolean', about: 'with the differences to the version before' } },
  words: [jobWord],
  examples: [{ run: 'plinth job history web', about: 'which versions there are, newest first' }],
  run: async (scheduler, { flags, words: [id] }) => {
    const query = { diffs: String(flags.p) }
    const answer = membersOf(
      await scheduler.ask('GET', `job/${id}/versions`, `reading the versions of ${id}`, { query }),
    )
    if (printed(flags, answer)) return
    const listed = (name: string) => (Array.isArray(answer[name]) ? (answer[name] as readonly Row[]) : [])
    const diffs = listed('Diffs')
    for (const [at, version] of listed('Versions').entries()) {
      const { Name, Description } = membersOf(version['VersionTag'])
      if (at > 0) say('')
      printFacts([
        ['Version', version['Version']],
        ['Stable', version['Stable']],
        ['Submit Date', time(version['SubmitTime'])],
        ...(Name ? ([['Tag Name', Name]] as const) : []),
        ...(Description ? ([['Tag Description', Description]] as const) : []),
      ])
      const diff = diffs[at]
      if (diff !== undefined) for (const line of ['Diff =', ...diffLines(diff, `Job: "${id}"`)]) say(line)
    }
  },
})

const revert = schedulerCommand({
  about: 'go back to an earlier version of a job',
  flags: detachFlag,
  words: [jobWord, { name: 'VERSION', about: 'the number of the version' }],
  examples: [{ run: 'plinth job revert -detach web 0', about: 'a job that has only this version', exits: 1 }],
  exits: waits,
  run: async (scheduler, { flags, words: [id, version] }) => {
    const body = { JobID: id, JobVersion: wholeNumber(version, 'the version') }
    const answer = await scheduler.ask('PUT', `job/${id}/revert`, `reverting ${id}`, { body })
    return afterWrite(scheduler, answer, `reverted ${id} to version ${version}`, flags)
  },
})

const scale = schedulerCommand({
  about: 'change the count of a task group',
  flags: detachFlag,
  words: [
    jobWord,
    { name: 'GROUP', about: 'a task group; may be omitted if the job has only one' },
    { name: 'COUNT', about: 'the new count', optional: true },
  ],
  examples: [{ run: 'plinth job scale -detach web 2', about: 'two allocations of its only group' }],
  exits: waits,
  run: async (scheduler, { flags, words: [id, first, second] }) => {
    const groups = second === undefined ? [(await read(scheduler, id))['TaskGroups'] ?? []].flat() : []
    if (groups.length > 1)
      throw new UserError(`${id} has ${groups.length} task groups: plinth job scale ${id} GROUP COUNT`, 2)
    const Group = second === undefined ? membersOf(groups[0])['Name'] : first
    const body = { Count: wholeNumber(second ?? first, 'the count'), Target: { Group } }
    const answer = await scheduler.ask('PUT', `job/${id}/scale`, `scaling ${id}`, { body })
    return afterWrite(scheduler, answer, `scaled ${id}`, flags)
  },
})

const inspect = schedulerCommand({
  about: 'print a job as JSON, as it can be registered again',
  flags: { version: { type: 'string', value: 'NUMBER', about: 'an earlier version' } },
  words: [jobWord],
  examples: [{ run: 'plinth job inspect web', about: 'its specification' }],
  run: async (scheduler, { flags, words: [id] }) => {
    const { version } = flags
    let job: Row | undefined
    if (version === undefined) job = await read(scheduler, id)
    else {
      const number = wholeNumber(version, '-version')
      const { Versions } = membersOf(
        await scheduler.ask('GET', `job/${id}/versions`, `reading the versions of ${id}`),
      )
      job = (Array.isArray(Versions) ? (Versions as readonly Row[]) : []).find(
        (each) => each['Version'] === number,
      )
      if (job === undefined) throw new UserError(`${id} has no version ${version}`)
    }
    printed({ json: true, format: undefined }, { Job: job })
  },
})

const validate = schedulerCommand({
  about: 'check a job without registering it',
  flags: jobFileFlags,
  words: [jobFileWord],
  examples: [{ run: 'plinth job validate web.json', about: 'errors and warnings' }],
  run: async (scheduler, { flags, words: [file] }) => {
    const { job, id } = await readJob(scheduler, file, flags)
    const answer = membersOf(
      await scheduler.ask('PUT', 'validate/job', `validating ${id}`, { body: { Job: job } }),
    )
    if (!printed(flags, answer)) {
      if (answer['Warnings']) process.stderr.write(`warning: ${String(answer['Warnings'])}\n`)
      if (!answer['Error']) return say('Job validation successful')
    }
    if (answer['Error']) throw new UserError(`${file}: ${String(answer['Error'])}`)
  },
})

const init = command({
  about: 'write a sample job to start from',
  flags: { short: { type: 'boolean', about: 'without explanations' } },
  words: [{ name: 'FILE', about: 'the file to write (example.nomad.hcl)', optional: true }],
  examples: [{ run: 'plinth job init -short sample.hcl', about: 'a service of one task' }],
  run: async ({ flags, words: [file = 'example.nomad.hcl'] }) => {
    if (existsSync(file)) throw new UserError(`${file} exists already`)
    writeFileSync(file, flags.short ? shortJob : longJob)
    say(`Example job file written to ${file}`)
  },
})

const evaluate = schedulerCommand({
  about: 'evaluate a job again',
  flags: detachFlag,
  words: [jobWord],
  examples: [{ run: 'plinth job eval -detach web', about: 'as after a change of the cluster' }],
  exits: waits,
  run: async (scheduler, { flags, words: [id] }) => {
    const answer = membersOf(
      await scheduler.ask('PUT', `job/${id}/evaluate`, `evaluating ${id}`, { body: { JobID: id } }),
    )
    if (printed(flags, answer)) return 0
    const EvalID = String(answer['EvalID'])
    if (!flags.detach) return monitor(scheduler, EvalID, flags.verbose)
    say(`Evaluation ID: ${shortId(EvalID, flags.verbose)}`)
    return 0
  },
})

export const job = {
  about: 'jobs of the scheduler',
  commands: { run, status, stop, plan, history, revert, scale, inspect, eval: evaluate, validate, init },
} as const satisfies Group
