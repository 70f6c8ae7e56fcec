import { membersOf } from '../client/members.ts'
import { printData, printRows, printTable } from '../client/print.ts'
import { connectScheduler, oneByPrefix, schedulerEnvironment, schedulerFlags } from '../client/scheduler.ts'
import { command, type Group, type Word } from '../command/declaration.ts'

const deploymentWord = {
  name: 'DEPLOYMENT',
  about: 'the ID of a deployment, or the beginning of it',
} as const satisfies Word

const status = command({
  about: 'list the deployments, or show one',
  flags: schedulerFlags,
  words: [{ ...deploymentWord, optional: true }],
  examples: [
    { run: 'plinth deployment status', about: 'all deployments' },
    { run: 'plinth deployment status $DEPLOYMENT', about: 'one deployment' },
  ],
  environment: schedulerEnvironment,
  run: async ({ flags, words: [given] }) => {
    const scheduler = connectScheduler(flags)
    if (given === undefined) {
      const deployments = await scheduler.rows('deployments', 'listing the deployments')
      if (printData(flags.format, deployments)) return
      const columns = ['ID', 'JobID', 'JobVersion', 'Status', 'StatusDescription']
      return printTable(
        columns,
        deployments.map((each) => columns.map((name) => each[name])),
      )
    }
    const id = await oneByPrefix(scheduler, 'deployment', given)
    const deployment = membersOf(await scheduler.ask('GET', `deployment/${id}`, `reading ${id}`))
    if (printData(flags.format, deployment)) return
    printRows(
      ['ID', 'JobID', 'JobVersion', 'Status', 'StatusDescription'].map((name) => [name, deployment[name]]),
    )
    process.stdout.write('\n')
    const columns = [
      'Promoted',
      'DesiredTotal',
      'DesiredCanaries',
      'PlacedAllocs',
      'HealthyAllocs',
      'UnhealthyAllocs',
    ]
    printTable(
      ['Group', ...columns],
      Object.entries(membersOf(deployment['TaskGroups'])).map(([group, counts]) => [
        group,
        ...columns.map((name) => membersOf(counts)[name]),
      ]),
    )
  },
})

const promote = command({
  about: 'promote the canaries of a deployment',
  flags: {
    group: { type: 'string', value: 'NAME', about: 'only of this group (repeatable)', multiple: true },
    ...schedulerFlags,
  },
  words: [deploymentWord],
  examples: [
    // The deployment of the demo data is finished, which is the expected answer.
    { run: 'plinth deployment promote $DEPLOYMENT', about: 'all groups', exits: 1 },
  ],
  environment: schedulerEnvironment,
  run: async ({ flags, words: [given] }) => {
    const scheduler = connectScheduler(flags)
    const id = await oneByPrefix(scheduler, 'deployment', given)
    const groups = flags.group.length > 0 ? { Groups: flags.group } : { All: true }
    const body = { DeploymentID: id, ...groups }
    const answer = await scheduler.ask('PUT', `deployment/promote/${id}`, `promoting ${id}`, { body })
    if (!printData(flags.format, answer)) process.stdout.write(`promoted ${id}\n`)
  },
})

const fail = command({
  about: 'mark a deployment as failed; a job with auto-revert goes back',
  flags: schedulerFlags,
  words: [deploymentWord],
  examples: [{ run: 'plinth deployment fail $DEPLOYMENT', about: 'a deployment that still runs', exits: 1 }],
  environment: schedulerEnvironment,
  run: async ({ flags, words: [given] }) => {
    const scheduler = connectScheduler(flags)
    const id = await oneByPrefix(scheduler, 'deployment', given)
    const answer = await scheduler.ask('PUT', `deployment/fail/${id}`, `failing ${id}`, { body: {} })
    if (!printData(flags.format, answer)) process.stdout.write(`failed ${id}\n`)
  },
})

export const deployment = {
  about: 'deployments of the scheduler',
  commands: { status, promote, fail },
} as const satisfies Group
