import { parseDuration } from '../../kernel/duration.ts'
import { membersOf } from '../client/members.ts'
import { printFacts, printSection, printTable } from '../client/print.ts'
import { oneByPrefix, type Scheduler, shortId } from '../client/scheduler.ts'
import { printed, schedulerCommand } from '../client/scheduler-command.ts'
import type { Group, Word } from '../command/declaration.ts'
import { UserError } from '../user-error.ts'
import { allocationTable } from './alloc.ts'
import { nodePool } from './namespace.ts'

const nodeWord = { name: 'NODE', about: 'the ID of a node, or the beginning of it' } as const satisfies Word
const switches = (on: string, off: string) =>
  ({ enable: { type: 'boolean', about: on }, disable: { type: 'boolean', about: off } }) as const
const one = (scheduler: Scheduler, given: string) => oneByPrefix(scheduler, 'node', given)

const status = schedulerCommand({
  about: 'list the nodes, or show one with its allocations',
  flags: {},
  words: [{ ...nodeWord, optional: true }],
  examples: [
    { run: 'plinth node status', about: 'all nodes' },
    { run: 'plinth node status $NODE', about: 'one node' },
  ],
  run: async (scheduler, { flags, words: [given] }) => {
    const { verbose } = flags
    if (given === undefined) {
      const nodes = await scheduler.rows('nodes', 'listing the nodes')
      if (printed(flags, nodes)) return
      const columns = [
        'NodePool',
        'Datacenter',
        'Name',
        'NodeClass',
        'Drain',
        'SchedulingEligibility',
        'Status',
      ]
      return printTable(
        ['ID', 'Node Pool', 'DC', 'Name', 'Class', 'Drain', 'Eligibility', 'Status'],
        nodes.map((node) => [shortId(node['ID'], verbose), ...columns.map((name) => node[name])]),
      )
    }
    const id = await one(scheduler, given)
    const node = membersOf(await scheduler.ask('GET', `node/${id}`, `reading ${id}`))
    const allocations = await scheduler.rows(`node/${id}/allocations`, `reading the allocations of ${id}`)
    if (printed(flags, { Node: node, Allocations: allocations })) return
    const drivers = Object.entries(membersOf(node['Drivers'])).filter(
      ([, each]) => membersOf(each)['Healthy'] === true,
    )
    printFacts([
      ['ID', id],
      ['Name', node['Name']],
      ['Node Pool', node['NodePool']],
      ['Class', node['NodeClass']],
      ['DC', node['Datacenter']],
      ['Drain', node['DrainStrategy'] !== null],
      ['Eligibility', node['SchedulingEligibility']],
      ['Status', node['Status']],
      ['Driver Status', drivers.map(([name]) => name).join(',')],
    ])
    printSection('Allocations')
    allocationTable(allocations, verbose)
  },
})

const drain = schedulerCommand({
  about: 'drain a node, or end its drain',
  flags: {
    ...switches('start the drain', 'end the drain and accept allocations again'),
    deadline: {
      type: 'string',
      value: 'DURATION',
      about: 'stop the remaining allocations after this time (1h)',
    },
    'ignore-system': { type: 'boolean', about: 'leave system jobs on the node' },
    yes: { type: 'boolean', about: 'accepted for compatibility: there is no prompt' },
    'keep-ineligible': { type: 'boolean', about: 'with -disable: do not accept allocations yet' },
  },
  words: [nodeWord],
  examples: [
    { run: 'plinth node drain -enable -deadline=30m $NODE', about: 'drain a node' },
    { run: 'plinth node drain -disable $NODE', about: 'accept allocations again' },
  ],
  run: async (scheduler, { flags, words: [given] }) => {
    if (flags.enable === flags.disable) throw new UserError('use -enable or -disable', 2)
    const deadline = flags.deadline ?? '1h'
    const ms = parseDuration(deadline)
    if (ms === undefined || ms < 0)
      throw new UserError(`-deadline takes a duration such as 30m, not "${deadline}"`, 2)
    const id = await one(scheduler, given)
    const body = flags.enable
      ? { DrainSpec: { Deadline: ms * 1e6, IgnoreSystemJobs: flags['ignore-system'] } }
      : { DrainSpec: null, MarkEligible: !flags['keep-ineligible'] }
    const answer = await scheduler.ask('PUT', `node/${id}/drain`, `draining ${id}`, { body })
    if (printed(flags, answer)) return
    process.stdout.write(flags.enable ? `draining ${id}\n` : `ended the drain of ${id}\n`)
  },
})

const eligibility = schedulerCommand({
  about: 'let a node take new allocations, or not',
  flags: switches('it takes new allocations', 'it takes none; those that run stay'),
  words: [nodeWord],
  examples: [
    { run: 'plinth node eligibility -disable $NODE', about: 'no new allocations' },
    { run: 'plinth node eligibility -enable $NODE', about: 'as before' },
  ],
  run: async (scheduler, { flags, words: [given] }) => {
    if (flags.enable === flags.disable) throw new UserError('use -enable or -disable', 2)
    const id = await one(scheduler, given)
    const body = { Eligibility: flags.enable ? 'eligible' : 'ineligible' }
    const answer = await scheduler.ask('PUT', `node/${id}/eligibility`, `changing ${id}`, { body })
    if (!printed(flags, answer)) process.stdout.write(`${id} is ${body.Eligibility}\n`)
  },
})

export const node = {
  about: 'nodes of the scheduler',
  commands: { status, drain, eligibility, pool: nodePool },
} as const satisfies Group
