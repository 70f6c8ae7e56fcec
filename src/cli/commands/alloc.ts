import { membersOf } from '../client/members.ts'
import { afterWrite } from '../client/monitor.ts'
import { ago, printFacts, printSection, printTable, say, show, time } from '../client/print.ts'
import { oneByPrefix, type Row, type Scheduler, shortId } from '../client/scheduler.ts'
import { printed, schedulerCommand } from '../client/scheduler-command.ts'
import type { Group, Word } from '../command/declaration.ts'
import { UserError } from '../user-error.ts'

const allocWord = {
  name: 'ALLOC',
  about: 'the ID of an allocation, or the beginning of it',
} as const satisfies Word
const taskWord = {
  name: 'TASK',
  about: 'a task; may be omitted if there is only one',
  optional: true,
} as const satisfies Word

/** Prints allocations as a table, the newest first. */
export function allocationTable(rows: readonly Row[], verbose: boolean): void {
  if (rows.length === 0) return void process.stdout.write('No allocations placed\n')
  const more = (...cells: readonly unknown[]) => (verbose ? cells : [])
  const when = verbose ? time : ago
  printTable(
    [
      'ID',
      ...(verbose ? ['Eval ID'] : []),
      'Node ID',
      ...(verbose ? ['Node Name'] : []),
      ...['Task Group', 'Version', 'Desired', 'Status', 'Created', 'Modified'],
    ],
    [...rows]
      .sort((a, b) => Number(b['CreateIndex']) - Number(a['CreateIndex']))
      .map((row) => [
        shortId(row['ID'], verbose),
        ...more(row['EvalID']),
        shortId(row['NodeID'], verbose),
        ...more(row['NodeName']),
        ...['TaskGroup', 'JobVersion', 'DesiredStatus', 'ClientStatus'].map((name) => row[name]),
        when(row['CreateTime']),
        when(row['ModifyTime']),
      ]),
  )
}

const find = async (scheduler: Scheduler, given: string): Promise<Row & { readonly ID: string }> => {
  const ID = await oneByPrefix(scheduler, 'allocation', given)
  return { ...membersOf(await scheduler.ask('GET', `allocation/${ID}`, `reading ${ID}`)), ID }
}

/** The task that a command names, or the only one. */
function taskOf(allocation: Row, given: string | undefined): string {
  const names = Object.keys(membersOf(allocation['TaskStates']))
  const [only] = names
  if (given !== undefined) return given
  if (only !== undefined && names.length === 1) return only
  throw new UserError(
    names.length === 0 ? 'the allocation has no task yet' : `which task? It has ${names.join(', ')}`,
    2,
  )
}

const listOf = (value: unknown): readonly Row[] => (Array.isArray(value) ? value.map(membersOf) : [])

function printFactsOf(allocation: Row, verbose: boolean): void {
  const short = (name: string) => shortId(allocation[name], verbose)
  const { Healthy, Canary } = membersOf(allocation['DeploymentStatus'])
  const health = Healthy === true ? 'healthy' : Healthy === false ? 'unhealthy' : 'unset'
  printFacts([
    ['ID', allocation['ID']],
    ['Eval ID', short('EvalID')],
    ['Name', allocation['Name']],
    ['Node ID', short('NodeID')],
    ['Node Name', allocation['NodeName']],
    ['Job ID', allocation['JobID']],
    ['Job Version', allocation['JobVersion']],
    ['Client Status', allocation['ClientStatus']],
    ['Client Description', allocation['ClientDescription']],
    ['Desired Status', allocation['DesiredStatus']],
    ['Desired Description', allocation['DesiredDescription']],
    ['Created', ago(allocation['CreateTime'])],
    ['Modified', ago(allocation['ModifyTime'])],
    ...(allocation['DeploymentID']
      ? ([
          ['Deployment ID', short('DeploymentID')],
          ['Deployment Health', health],
        ] as const)
      : []),
    ...(Canary === true ? ([['Canary', true]] as const) : []),
    ...(allocation['NextAllocation'] ? ([['Replacement Alloc ID', short('NextAllocation')]] as const) : []),
  ])
}

function printAddresses({ Networks, Ports }: Row): void {
  const ports = listOf(Ports)
  if (ports.length === 0) return
  const [network = {}] = listOf(Networks)
  const dynamic = new Set(listOf(network['DynamicPorts']).map(({ Label }) => Label))
  printSection(`Allocation Addresses${network['Mode'] ? ` (mode = "${show(network['Mode'])}")` : ''}`)
  printTable(
    ['Label', 'Dynamic', 'Address'],
    ports.map(({ Label, Value, To, HostIP }) => [
      `*${show(Label)}`,
      dynamic.has(Label) ? 'yes' : 'no',
      // A runner that tells no address of its node has only ports.
      `${HostIP ? `${show(HostIP)}:` : ''}${show(Value)}${Number(To) > 0 ? ` -> ${show(To)}` : ''}`,
    ]),
  )
}

function printTask(
  name: string,
  state: Row,
  { resources, usage, diskMb }: { readonly resources: Row; readonly usage: Row; readonly diskMb: unknown },
): void {
  const { State, Restarts, StartedAt, FinishedAt, Events } = state
  printSection(`Task "${name}" is "${show(State)}"`)
  const [cpu, memory] = [membersOf(resources['Cpu']), membersOf(resources['Memory'])]
  const { TotalTicks } = membersOf(usage['CpuStats'])
  const { RSS } = membersOf(usage['MemoryStats'])
  // Used and reserved, once they were measured.
  const used = (amount: unknown, unit = 1, name = '') =>
    amount === undefined ? '' : `${Math.round(Number(amount) / unit)}${name}/`
  say('Task Resources:')
  printTable(
    ['CPU', 'Memory', 'Disk'],
    [
      [
        `${used(TotalTicks)}${show(cpu['CpuShares'])} MHz`,
        `${used(RSS, 1024 * 1024, ' MiB')}${show(memory['MemoryMB'])} MiB`,
        `${show(diskMb)} MiB`,
      ],
    ],
  )
  say('\nTask Events:')
  printFacts([
    ['Started At', StartedAt ?? 'N/A'],
    ['Finished At', FinishedAt ?? 'N/A'],
    ['Total Restarts', Restarts ?? 0],
  ])
  say('\nRecent Events:')
  printTable(
    ['Time', 'Type', 'Description'],
    [...listOf(Events)].reverse().map(({ Time, Type, DisplayMessage }) => [time(Time), Type, DisplayMessage]),
  )
}

const status = schedulerCommand({
  about: 'show an allocation: its tasks, their events, its ports',
  flags: { stats: { type: 'boolean', about: 'measure what its tasks use' } },
  words: [allocWord],
  examples: [{ run: 'plinth alloc status $ALLOC', about: 'the state of its tasks' }],
  run: async (scheduler, { flags, words: [given] }) => {
    const allocation = await find(scheduler, given)
    if (printed(flags, allocation)) return
    printFactsOf(allocation, flags.verbose)
    const { Shared, Tasks } = membersOf(allocation['AllocatedResources'])
    const shared = membersOf(Shared)
    printAddresses(shared)
    const stats = flags.stats
      ? await scheduler.ask('GET', `client/allocation/${allocation.ID}/stats`, 'measuring its tasks')
      : undefined
    const usage = membersOf(membersOf(stats)['Tasks'])
    for (const [name, state] of Object.entries(membersOf(allocation['TaskStates'])))
      printTask(name, membersOf(state), {
        resources: membersOf(membersOf(Tasks)[name]),
        usage: membersOf(membersOf(usage[name])['ResourceUsage']),
        diskMb: shared['DiskMB'],
      })
  },
})

const logs = schedulerCommand({
  about: 'print the output of a task, and follow it',
  flags: {
    stderr: { type: 'boolean', about: 'print standard error instead of standard output' },
    f: { type: 'boolean', about: 'follow it until the task ends' },
    tail: { type: 'boolean', about: 'only its end' },
    n: { type: 'string', value: 'LINES', about: 'with -tail: the number of lines (10)' },
    c: { type: 'string', value: 'BYTES', about: 'with -tail: the number of bytes' },
  },
  words: [allocWord, taskWord],
  examples: [{ run: 'plinth alloc logs $ALLOC', about: 'a simulated allocation has none', exits: 1 }],
  run: async (scheduler, { flags, words: [given, task] }) => {
    const allocation = await find(scheduler, given)
    const { stderr, f, tail, n, c } = flags
    // Lines are counted here: they are expected within this many bytes.
    const bytes = c ?? String(Number(n ?? '10') * 1024)
    if (!/^\d{1,12}$/.test(bytes)) throw new UserError('-n and -c take a whole number', 2)
    const query = {
      task: taskOf(allocation, task),
      type: stderr ? 'stderr' : 'stdout',
      plain: 'true',
      follow: String(f),
      ...(tail ? { origin: 'end', offset: bytes } : {}),
    }
    let lines = tail && c === undefined ? Number(n ?? '10') : undefined
    const held: Uint8Array[] = []
    const printLast = () => {
      if (lines !== undefined) process.stdout.write(lastLines(Buffer.concat(held), lines))
      lines = undefined
    }
    const onPart = (part: Uint8Array) => {
      if (lines === undefined) return void process.stdout.write(part)
      held.push(part)
      // A followed output has no end to count from: its first part is what there was.
      if (f) printLast()
    }
    await scheduler.ask('GET', `client/fs/logs/${allocation.ID}`, 'reading the output', { query, onPart })
    printLast()
  },
})

/** The last lines of some bytes. */
function lastLines(bytes: Uint8Array, lines: number): Uint8Array {
  let at = bytes.length - 1
  for (let left = lines; at > 0; at -= 1) if (bytes[at - 1] === 10 && --left === 0) break
  return bytes.subarray(Math.max(at, 0))
}

const stop = schedulerCommand({
  about: 'stop an allocation, which is then replaced',
  flags: { detach: { type: 'boolean', about: 'do not wait for the evaluation' } },
  words: [allocWord],
  examples: [{ run: 'plinth alloc stop -detach $ALLOC', about: 'its job places another one' }],
  run: async (scheduler, { flags, words: [given] }) => {
    const { ID } = await find(scheduler, given)
    const answer = await scheduler.ask('PUT', `allocation/${ID}/stop`, `stopping ${ID}`, { body: {} })
    return afterWrite(scheduler, answer, `stopped ${ID}`, flags)
  },
})

const restart = schedulerCommand({
  about: 'restart the tasks of an allocation on its node',
  flags: { task: { type: 'string', value: 'NAME', about: 'only this task' } },
  words: [allocWord],
  examples: [{ run: 'plinth alloc restart $ALLOC', about: 'a simulated one has no process', exits: 1 }],
  run: async (scheduler, { flags, words: [given] }) => {
    const { ID } = await find(scheduler, given)
    const body = { TaskName: flags.task ?? '' }
    const answer = await scheduler.ask('PUT', `client/allocation/${ID}/restart`, `restarting ${ID}`, { body })
    if (!printed(flags, answer)) process.stdout.write(`restarted ${shortId(ID, flags.verbose)}\n`)
  },
})

const signal = schedulerCommand({
  about: 'send a signal to the tasks of an allocation',
  flags: {
    s: { type: 'string', value: 'SIGNAL', about: 'the signal (SIGINT)' },
    task: { type: 'string', value: 'NAME', about: 'only this task' },
  },
  words: [allocWord],
  examples: [
    { run: 'plinth alloc signal -s=SIGHUP $ALLOC', about: 'a simulated one has no process', exits: 1 },
  ],
  run: async (scheduler, { flags, words: [given] }) => {
    const { ID } = await find(scheduler, given)
    const body = { Task: flags.task ?? '', Signal: flags.s ?? 'SIGINT' }
    const answer = await scheduler.ask('PUT', `client/allocation/${ID}/signal`, `signalling ${ID}`, { body })
    if (!printed(flags, answer)) process.stdout.write(`signalled ${shortId(ID, flags.verbose)}\n`)
  },
})

export const alloc = {
  about: 'allocations of the scheduler',
  commands: { status, logs, stop, restart, signal },
} as const satisfies Group
