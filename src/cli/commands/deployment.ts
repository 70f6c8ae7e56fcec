import { filterFlag } from '../client/flags.ts'
import { membersOf } from '../client/members.ts'
import { afterWrite, deploymentTable, followDeployment } from '../client/monitor.ts'
import { printFacts, printSection, printTable } from '../client/print.ts'
import { oneByPrefix, type Scheduler, type SchedulerFlags, shortId } from '../client/scheduler.ts'
import { printed, schedulerCommand } from '../client/scheduler-command.ts'
import type { Group, Word } from '../command/declaration.ts'

const deploymentWord = {
  name: 'DEPLOYMENT',
  about: 'the ID of a deployment, or the beginning of it',
} as const satisfies Word
const detachFlag = { detach: { type: 'boolean', about: 'do not wait for the evaluation' } } as const
const one = (scheduler: Scheduler, given: string) => oneByPrefix(scheduler, 'deployment', given)

async function listDeployments(scheduler: Scheduler, flags: SchedulerFlags, filter?: string) {
  const query = filter === undefined ? {} : { filter }
  const deployments = await scheduler.rows('deployments', 'listing the deployments', query)
  if (printed(flags, deployments)) return 0
  const columns = ['JobID', 'JobVersion', 'Status', 'StatusDescription']
  printTable(
    ['ID', 'Job ID', 'Job Version', 'Status', 'Description'],
    deployments.map((each) => [shortId(each['ID'], flags.verbose), ...columns.map((name) => each[name])]),
  )
  return 0
}

const list = schedulerCommand({
  about: 'list the deployments',
  flags: filterFlag,
  words: [],
  examples: [{ run: 'plinth deployment list', about: 'as a table' }],
  run: (scheduler, { flags }) => listDeployments(scheduler, flags, flags.filter),
})

const status = schedulerCommand({
  about: 'list the deployments, or show one',
  flags: { monitor: { type: 'boolean', about: 'wait until it is over' } },
  words: [{ ...deploymentWord, optional: true }],
  examples: [
    { run: 'plinth deployment status', about: 'all deployments' },
    { run: 'plinth deployment status $DEPLOYMENT', about: 'one deployment' },
  ],
  run: async (scheduler, { flags, words: [given] }) => {
    const { verbose } = flags
    if (given === undefined) return listDeployments(scheduler, flags)
    const id = await one(scheduler, given)
    if (flags.monitor) return followDeployment(scheduler, id, verbose)
    const deployment = membersOf(await scheduler.ask('GET', `deployment/${id}`, `reading ${id}`))
    if (printed(flags, deployment)) return 0
    printFacts([
      ['ID', shortId(id, verbose)],
      ['Job ID', deployment['JobID']],
      ['Job Version', deployment['JobVersion']],
      ['Status', deployment['Status']],
      ['Description', deployment['StatusDescription']],
    ])
    printSection('Deployed')
    printTable(...deploymentTable(deployment))
    return 0
  },
})

const promote = schedulerCommand({
  about: 'promote the canaries of a deployment',
  flags: {
    group: { type: 'string', value: 'NAME', about: 'only of this group (repeatable)', multiple: true },
    ...detachFlag,
  },
  words: [deploymentWord],
  examples: [
    // The deployment of the demo data is finished, which is the expected answer.
    { run: 'plinth deployment promote $DEPLOYMENT', about: 'all groups', exits: 1 },
  ],
  run: async (scheduler, { flags, words: [given] }) => {
    const id = await one(scheduler, given)
    const groups = flags.group.length > 0 ? { Groups: flags.group } : { All: true }
    const body = { DeploymentID: id, ...groups }
    const answer = await scheduler.ask('PUT', `deployment/promote/${id}`, `promoting ${id}`, { body })
    return afterWrite(scheduler, answer, `promoted ${id}`, flags)
  },
})

const fail = schedulerCommand({
  about: 'mark a deployment as failed; a job with auto-revert is reverted',
  flags: detachFlag,
  words: [deploymentWord],
  examples: [{ run: 'plinth deployment fail $DEPLOYMENT', about: 'a deployment that still runs', exits: 1 }],
  run: async (scheduler, { flags, words: [given] }) => {
    const id = await one(scheduler, given)
    const body = { DeploymentID: id }
    const answer = await scheduler.ask('PUT', `deployment/fail/${id}`, `failing ${id}`, { body })
    return afterWrite(scheduler, answer, `failed ${id}`, flags)
  },
})

export const deployment = {
  about: 'deployments of the scheduler',
  commands: { list, status, promote, fail },
} as const satisfies Group
