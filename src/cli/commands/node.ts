import { parseDuration } from '../../kernel/duration.ts'
import { membersOf } from '../client/members.ts'
import { printData, printRows, printTable } from '../client/print.ts'
import { connectScheduler, oneByPrefix, schedulerEnvironment, schedulerFlags } from '../client/scheduler.ts'
import { command, type Group, type Word } from '../command/declaration.ts'
import { UserError } from '../user-error.ts'

const nodeWord = { name: 'NODE', about: 'the ID of a node, or the beginning of it' } as const satisfies Word

const status = command({
  about: 'list the nodes, or show one with its allocations',
  flags: schedulerFlags,
  words: [{ ...nodeWord, optional: true }],
  examples: [
    { run: 'plinth node status', about: 'all nodes' },
    { run: 'plinth node status $NODE', about: 'one node' },
  ],
  environment: schedulerEnvironment,
  run: async ({ flags, words: [given] }) => {
    const scheduler = connectScheduler(flags)
    if (given === undefined) {
      const nodes = await scheduler.rows('nodes', 'listing the nodes')
      if (printData(flags.format, nodes)) return
      const columns = ['ID', 'Name', 'NodePool', 'Datacenter', 'Drain', 'SchedulingEligibility', 'Status']
      return printTable(
        columns,
        nodes.map((node) => columns.map((name) => node[name])),
      )
    }
    const id = await oneByPrefix(scheduler, 'node', given)
    const node = membersOf(await scheduler.ask('GET', `node/${id}`, `reading ${id}`))
    const allocations = await scheduler.rows(`node/${id}/allocations`, `reading the allocations of ${id}`)
    if (printData(flags.format, { Node: node, Allocations: allocations })) return
    printRows(
      ['ID', 'Name', 'NodePool', 'Datacenter', 'NodeClass', 'Drain', 'SchedulingEligibility', 'Status'].map(
        (name) => [name, node[name]],
      ),
    )
    process.stdout.write('\n')
    const columns = ['ID', 'JobID', 'TaskGroup', 'JobVersion', 'DesiredStatus', 'ClientStatus']
    printTable(
      columns,
      allocations.map((each) => columns.map((name) => each[name])),
    )
  },
})

const drain = command({
  about: 'drain a node, or end its drain',
  flags: {
    enable: { type: 'boolean', about: 'start the drain' },
    disable: { type: 'boolean', about: 'end the drain and accept allocations again' },
    deadline: {
      type: 'string',
      value: 'DURATION',
      about: 'stop the remaining allocations after this time (1h)',
    },
    'ignore-system': { type: 'boolean', about: 'leave system jobs on the node' },
    'keep-ineligible': { type: 'boolean', about: 'with -disable: do not accept allocations yet' },
    ...schedulerFlags,
  },
  words: [nodeWord],
  examples: [
    { run: 'plinth node drain -enable -deadline=30m $NODE', about: 'drain a node' },
    { run: 'plinth node drain -disable $NODE', about: 'accept allocations again' },
  ],
  environment: schedulerEnvironment,
  run: async ({ flags, words: [given] }) => {
    if (flags.enable === flags.disable) throw new UserError('use -enable or -disable', 2)
    const deadline = flags.deadline ?? '1h'
    const ms = parseDuration(deadline)
    if (ms === undefined || ms < 0)
      throw new UserError(`-deadline takes a duration such as 30m, not "${deadline}"`, 2)
    const scheduler = connectScheduler(flags)
    const id = await oneByPrefix(scheduler, 'node', given)
    const body = flags.enable
      ? { DrainSpec: { Deadline: ms * 1e6, IgnoreSystemJobs: flags['ignore-system'] } }
      : { DrainSpec: null, MarkEligible: !flags['keep-ineligible'] }
    const answer = await scheduler.ask('PUT', `node/${id}/drain`, `draining ${id}`, { body })
    if (printData(flags.format, answer)) return
    process.stdout.write(flags.enable ? `draining ${id}\n` : `ended the drain of ${id}\n`)
  },
})

export const node = {
  about: 'nodes of the scheduler',
  commands: { status, drain },
} as const satisfies Group
