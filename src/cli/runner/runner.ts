import { existsSync, mkdirSync, utimesSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseDuration } from '../../kernel/duration.ts'
import { systemEnv } from '../../kernel/system-env.ts'
import { hasEnded } from '../../scheduler/allocations/rules.ts'
import type { RunnerAllocation, RunnerReport } from '../../scheduler/index.ts'
import { schedulerAddress } from '../client/scheduler.ts'
import type { FlagValues } from '../command/declaration.ts'
import { whyUnreachable } from '../unreachable.ts'
import { UserError } from '../user-error.ts'
import { type RunningAllocation, runAllocation } from './allocation.ts'
import { answerCalls } from './calls.ts'
import { type ClusterClient, clusterClient, Refusal } from './cluster.ts'
import { deleteEnded } from './files.ts'
import type { runnerFlags } from './flags.ts'
import { describeNode, identityIn } from './node.ts'
import { outages } from './outages.ts'
import { pause } from './pause.ts'
import { killLeftovers } from './process.ts'
import { reports } from './reports.ts'

const log = (text: string): void => void process.stderr.write(`plinth runner: ${text}\n`)
const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error))
const failed = outages(log, systemEnv)

/** The pause after a failed call. */
const pauseMs = 1000

/** Runs the allocations that a scheduler places on this machine, until a signal comes. */
export async function runnerCommand(flags: FlagValues<typeof runnerFlags>): Promise<void> {
  const { env } = process
  const dir = resolve(flags.dir ?? '.plinth/runner')
  const datacenter = flags.datacenter ?? 'dc1'
  const kept = keptOf(flags)
  const identity = identityIn(dir, flags.node)
  const [allocationsDir, pids] = [join(dir, 'allocations'), join(dir, 'pids')]
  for (const each of [allocationsDir, pids]) mkdirSync(each, { recursive: true, mode: 0o700 })
  const leftovers = killLeftovers(pids)
  if (leftovers > 0) log(`killed ${leftovers} processes of an earlier runner`)
  const address = schedulerAddress(flags.address, env)
  const cluster = clusterClient(address, {
    node: identity.id,
    secret: identity.secret,
    token: (env['SCHEDULER_TOKEN'] ?? env['NOMAD_TOKEN'] ?? '').trim(),
  })
  const node = describeNode(identity, { name: flags.name, datacenter, pool: flags.pool ?? 'default', dir })

  const signal = stopSignal()
  const ttlMs = await registered(cluster, node, address)
  log(`node ${identity.id} is registered with ${address}; tasks run as this user, without isolation`)
  if (flags.json) process.stdout.write(`${JSON.stringify({ ready: true, node: identity.id })}\n`)

  const reporter = reports(cluster, failed)
  const here = allocationsHere(allocationsDir, { pids, datacenter, report: reporter.report })
  const heartbeats = sendHeartbeats(cluster, { node, ttlMs, signal })
  const calls = answerCalls(cluster, {
    dir: allocationsDir,
    running: here.running,
    signal,
    failed: async (error) => {
      failed('calls', error)
      await pause(pauseMs, signal)
    },
  })
  const sweep = () =>
    deleteEnded(allocationsDir, here.isInUse, {
      ...kept,
      now: systemEnv().now,
    }).catch((error: unknown) => log(`deleting ended allocations: ${messageOf(error)}`))
  const sweeps = setInterval(() => void sweep(), sweepMs)
  for (let index = 0; !signal.aborted; ) {
    try {
      const found = await cluster.allocations(index, signal)
      index = found.index
      here.follow(found.rows)
      await sweep()
    } catch (error) {
      if (signal.aborted) break
      failed('allocations', error)
      await pause(pauseMs, signal)
    }
  }
  log('stopping: ending all tasks')
  reporter.close()
  clearInterval(sweeps)
  await Promise.all([here.abandon(), heartbeats, calls])
  await cluster.leave().catch((error: unknown) => log(`leaving: ${messageOf(error)}`))
}

/** Aborts when the process is asked to end; asked again, it ends at once. */
function stopSignal(): AbortSignal {
  const stopping = new AbortController()
  const stop = () => {
    if (stopping.signal.aborted) process.exit(1)
    stopping.abort()
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
  return stopping.signal
}

/** Registers a node; returns the TTL of its heartbeats. */
async function registered(cluster: ClusterClient, node: object, address: string): Promise<number> {
  try {
    return await cluster.register(node)
  } catch (error) {
    throw new UserError(
      error instanceof Refusal && error.status === 403
        ? `${address} refuses to register this node: SCHEDULER_TOKEN needs node:write, and a registered node needs the secret in its --dir`
        : `cannot register with ${address}: ${whyUnreachable(error)}`,
    )
  }
}

/** The allocations that run on this node. */
function allocationsHere(
  dir: string,
  options: {
    readonly pids: string
    readonly datacenter: string
    readonly report: (report: RunnerReport) => void
  },
) {
  const running = new Map<string, RunningAllocation>()
  const ending = new Map<string, Promise<void>>()
  const over = new Set<string>()
  const end = (id: string, how: (each: RunningAllocation) => Promise<void>): void => {
    const each = running.get(id)
    if (each === undefined) return
    running.delete(id)
    const done: Promise<void> = how(each)
      .then(() => noteEnd(join(dir, id)))
      .catch((error: unknown) => log(`allocation ${id}: ${messageOf(error)}`))
      .finally(() => ending.delete(id))
    ending.set(id, done)
  }
  return {
    running,
    isInUse: (id: string) => running.has(id) || ending.has(id),
    /** Starts, updates and stops allocations, so that those run which the scheduler lists. */
    follow: (rows: readonly RunnerAllocation[]) => {
      const wanted = new Map(rows.map((row) => [row.ID, row]))
      // Allocations that are no longer listed are lost, and have been placed elsewhere.
      for (const id of [...running.keys()]) if (!wanted.has(id)) end(id, (each) => each.abandon())
      for (const id of [...over]) if (!wanted.has(id)) over.delete(id)
      for (const [id, row] of wanted) {
        if (row.DesiredStatus !== 'run') {
          if (running.has(id)) end(id, (each) => each.stop())
          else if (!over.has(id)) options.report({ ID: id, ClientStatus: 'complete' })
          over.add(id)
        } else if (running.has(id)) running.get(id)?.update(row)
        else if (!over.has(id) && !waitsForOthers(id, rows))
          running.set(id, runAllocation(row, { ...options, dir, env: systemEnv }))
      }
    },
    /** Ends all tasks without further reports; resolves once they have ended. */
    abandon: async () => {
      for (const id of [...running.keys()]) end(id, (each) => each.abandon())
      await Promise.all(ending.values())
    },
  }
}

/** How many ended allocations keep their files, and for how long. */
function keptOf({
  'keep-ended': number = '50',
  'keep-ended-for': age = '24h',
}: FlagValues<typeof runnerFlags>) {
  const [count, ageMs] = [/^\d{1,9}$/.test(number) ? Number(number) : undefined, parseDuration(age)]
  if (count === undefined) throw new UserError(`--keep-ended takes a number such as 50, not "${number}"`, 2)
  if (ageMs === undefined || ageMs < 0)
    throw new UserError(`--keep-ended-for takes a duration such as 24h, not "${age}"`, 2)
  return { count, ageMs }
}

/** How often files of ended allocations are deleted by their age. */
const sweepMs = 60_000

/** The age of the files of an allocation counts from its end. */
function noteEnd(folder: string): void {
  const { now } = systemEnv()
  // An allocation that could not start has no folder.
  if (existsSync(folder)) utimesSync(folder, now / 1000, now / 1000)
}

/** Whether an allocation waits for less important ones on this node to end, which make room for it. */
const waitsForOthers = (id: string, rows: readonly RunnerAllocation[]): boolean =>
  rows.some((row) => row.PreemptedByAllocation === id && !hasEnded(row))

/** Sends heartbeats, three per TTL; a node that the cluster no longer knows registers again. */
async function sendHeartbeats(
  cluster: ClusterClient,
  { node, ttlMs, signal }: { readonly node: object; readonly ttlMs: number; readonly signal: AbortSignal },
): Promise<void> {
  for (let isWell = true; ; ) {
    await pause(isWell ? ttlMs / 3 : Math.min(pauseMs, ttlMs / 6), signal)
    if (signal.aborted) return
    try {
      await cluster.beat()
      isWell = true
    } catch (error) {
      isWell = false
      failed('heartbeat', error)
      const isUnknown = error instanceof Refusal && (error.status === 403 || error.status === 404)
      if (isUnknown) await cluster.register(node).catch((again: unknown) => failed('registering', again))
    }
  }
}
