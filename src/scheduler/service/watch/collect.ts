import type { Timers } from '../../../kernel/index.ts'
import { turn } from '../../../kernel/turn.ts'
import { isStoreError, type Snapshot, type Table, transact } from '../../../store/index.ts'
import { isTerminalAllocation } from '../../allocations/rules.ts'
import {
  allocationRecords,
  deploymentRecords,
  evaluationRecords,
  jobRecords,
  jobStatusRecords,
  jobVersionRecords,
  nodeRecords,
  tokenRecords,
} from '../../collections.ts'
import { isTerminalDeployment } from '../../deployments/rules.ts'
import { isTerminalEvaluation } from '../../evaluations/rules.ts'
import { agesAt, type CollectOptions, type Sight, timesOf, withSight } from '../../gc/ages.ts'
import type { Collected } from '../../gc/collected.ts'
import { type Ages, type Collectible, collectible, type Remains } from '../../gc/collectible.ts'
import { ofIncarnation } from '../../jobs/work.ts'
import type { Cluster } from '../cluster.ts'
import { beginning } from '../read/list.ts'
import type { JobName, Ledger } from '../write/ledger.ts'
import { sweepPurged } from '../write/purge.ts'
import { record } from '../write/record.ts'
import { earlierVersions } from '../write/specification.ts'
import { removeJob } from '../write/stop-job.ts'

/** How many records one commit removes: a commit has 64 keys, and each allocation's node has a mark of its own. */
const batch = 16

/**
 * Removes what is over and old enough, batch by batch; every commit decides anew, on what it then finds. Safe to run
 * again, and by several processes at once.
 */
export async function collectGarbage(
  cluster: Cluster,
  ages: Ages,
  isClosed: () => boolean = () => false,
): Promise<Collected> {
  const counts = { jobs: 0, evaluations: 0, allocations: 0, deployments: 0, nodes: 0, tokens: 0 }
  const count = (removed: Removed) => {
    counts.jobs += removed.job ? 1 : 0
    counts.evaluations += removed.evaluations
    counts.allocations += removed.allocations
    counts.deployments += removed.deployments
  }
  // Children come after their parents, and must go before them.
  for (const name of candidates(cluster, await cluster.view.fresh()).reverse()) {
    for (let more = true; more && !isClosed(); ) {
      const { result } = await record(cluster, (book) => removeSome(cluster, book, name, ages))
      count(result)
      if (result.sweep) await sweepPurged(cluster)
      more = result.more
    }
    // A store in memory answers at once: whoever asks meanwhile would wait until all of it is done.
    await turn()
  }
  if (isClosed()) return counts
  counts.nodes = await collectNodes(cluster, ages.nodes)
  counts.tokens = cluster.acl.enabled ? await collectTokens(cluster) : 0
  if (Object.values(counts).some((number) => number > 0))
    cluster.emit([{ type: 'garbage.collected', ...counts }])
  return counts
}

/** The jobs, gone or not, of which anything is over. */
function candidates({ tables }: Cluster, now: Snapshot): JobName[] {
  const names = new Map<string, JobName>()
  const add = (Namespace: string, ID: string) => names.set(beginning([Namespace, ID]), { Namespace, ID })
  for (const rows of tables.jobs.at(now).chunks({}))
    for (const { Namespace, ID, Status } of rows) if (Status === 'dead') add(Namespace, ID)
  const look = <Row extends { readonly Namespace: string; readonly JobID: string }>(
    table: Table<Row>,
    isOver: (row: Row) => boolean,
  ) => {
    for (const rows of table.at(now).chunks({}))
      for (const row of rows) if (isOver(row)) add(row.Namespace, row.JobID)
  }
  look(tables.evaluations, isTerminalEvaluation)
  look(tables.allocations, isTerminalAllocation)
  look(tables.deployments, isTerminalDeployment)
  return [...names].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, name]) => name)
}

/** What one commit removed. */
interface Removed {
  readonly job: boolean
  readonly evaluations: number
  readonly allocations: number
  readonly deployments: number
  /** Whether what belonged to a job is left to be swept up. */
  readonly sweep: boolean
  /** Whether there may be more to remove. */
  readonly more: boolean
}

const kinds = ['allocation', 'evaluation', 'deployment'] as const

/** Removes a job with what belongs to it, or as much as one commit can of what may go. */
function removeSome(cluster: Cluster, book: Ledger, name: JobName, ages: Ages): Removed {
  const remains = remainsOf(cluster, book, name)
  const found = collectible(remains, ages)
  if (found.job && remains.job !== undefined) {
    const { allocations, evaluations, deployments, job } = remains
    const isSmall = removeAtOnce(book, name, remains)
    if (!isSmall) removeJob(book, name, job.CreateIndex)
    return {
      job: true,
      // Of a large one they are then those of a job that is gone.
      evaluations: isSmall ? evaluations.length : 0,
      allocations: allocations.length,
      deployments: deployments.length,
      sweep: !isSmall,
      more: !isSmall,
    }
  }
  const due = kinds.flatMap((kind) => found[plural[kind]].map((id) => [kind, id] as const))
  const now = due.slice(0, batch)
  for (const [kind, id] of now) book.delete(kind, id, name)
  const removed = (kind: (typeof kinds)[number]) => now.filter(([each]) => each === kind).length
  return {
    job: false,
    evaluations: removed('evaluation'),
    allocations: removed('allocation'),
    deployments: removed('deployment'),
    sweep: false,
    more: due.length > batch,
  }
}

/** Removes a job with everything that belongs to it, where one commit can. */
function removeAtOnce(book: Ledger, name: JobName, { job, ...rest }: Remains): boolean {
  const { allocations, evaluations, deployments } = rest
  const versions = earlierVersions(book, name)
  const isOwn = (row: { readonly JobCreateIndex: number }) => ofIncarnation(row, job?.CreateIndex ?? 0)
  const count = allocations.length + evaluations.length + deployments.length + versions.length
  if (count > batch || ![...allocations, ...deployments].every(isOwn)) return false
  for (const { ID } of allocations) book.delete('allocation', ID, name)
  for (const { ID } of evaluations) book.delete('evaluation', ID, name)
  for (const { ID } of deployments) book.delete('deployment', ID, name)
  for (const { Version } of versions) book.tx.delete(jobVersionRecords, name.Namespace, name.ID, Version)
  book.deleteJob(name)
  return true
}

const plural = {
  allocation: 'allocations',
  evaluation: 'evaluations',
  deployment: 'deployments',
} as const satisfies Record<(typeof kinds)[number], Exclude<keyof Collectible, 'job'>>

/** A job and what names it, none of which may change until the commit. */
function remainsOf({ tables }: Cluster, { tx }: Ledger, { Namespace, ID }: JobName): Remains {
  const range = { prefix: beginning([Namespace, ID]) }
  const belonging = <Row>(records: { readonly name: string }, table: Table<Row>): readonly Row[] =>
    tx.guard(records.name, 'job', Namespace, ID) === 0 ? [] : table.at(tx.now).by('job').scan(range)
  const spec = tx.get(jobRecords, Namespace, ID)
  const status = tx.get(jobStatusRecords, Namespace, ID)
  const children = () =>
    tables.jobs
      .at(tx.now)
      .by('parent')
      .scan({ ...range, limit: 1 })
  return {
    job: spec &&
      status && {
        ...spec.value,
        Status: status.value.Status,
        CreateIndex: spec.created,
        ModifyIndex: Math.max(spec.modified, status.modified),
        hasChildren: tx.guard(jobRecords.name, 'children', Namespace, ID) > 0 && children().length > 0,
      },
    allocations: belonging(allocationRecords, tables.allocations),
    evaluations: belonging(evaluationRecords, tables.evaluations),
    deployments: belonging(deploymentRecords, tables.deployments),
  }
}

/** Removes the nodes that are down for so long, and have nothing left to lose. */
async function collectNodes(cluster: Cluster, age: number): Promise<number> {
  const { tables, view } = cluster
  let removed = 0
  const down = tables.nodes
    .at(await view.fresh())
    .scan({})
    .filter(({ Status, ModifyIndex }) => Status === 'down' && ModifyIndex <= age)
  for (const { ID } of down) {
    const { result } = await record(cluster, ({ tx }) => {
      const node = tx.get(nodeRecords, ID)
      if (node === undefined || node.value.Status !== 'down' || node.modified > age) return 0
      const rows =
        tx.guard(allocationRecords.name, 'node', ID) === 0
          ? []
          : tables.allocations
              .at(tx.now)
              .by('node')
              .scan({ prefix: beginning([ID]) })
      if (!rows.every(isTerminalAllocation)) return 0
      tx.delete(nodeRecords, ID)
      return 1
    })
    removed += result
  }
  return removed
}

/** Removes the tokens that have expired. */
async function collectTokens(cluster: Cluster): Promise<number> {
  const env = cluster.env()
  const isOver = (expires: string | null) => expires !== null && Date.parse(expires) <= env.now
  const expired = tokenRecords
    .list(await cluster.view.fresh())
    .filter(({ value }) => isOver(value.ExpirationTime))
  let removed = 0
  for (let at = 0; at < expired.length; at += batch) {
    const { result } = await transact(
      cluster.view,
      () => env.newId('commit'),
      (tx) => {
        let count = 0
        for (const { value } of expired.slice(at, at + batch)) {
          const token = tx.get(tokenRecords, value.AccessorID)
          if (token === undefined || !isOver(token.value.ExpirationTime)) continue
          tx.delete(tokenRecords, value.AccessorID)
          count += 1
        }
        return count
      },
    )
    removed += result
  }
  return removed
}

/** What collects from time to time. */
export interface Collector {
  /** Resolves once no collection is under way. */
  readonly settled: () => Promise<void>
  readonly close: () => Promise<void>
}

/** Collects from time to time what has been over for long enough, as far as this process has seen. */
export function collector(
  cluster: Cluster,
  options: CollectOptions & { readonly timers: Timers; readonly onError: (error: unknown) => void },
): Collector {
  const { timers, onError } = options
  const times = timesOf(options)
  const longest = Math.max(
    times.jobsMs,
    times.evaluationsMs,
    times.batchMs,
    times.deploymentsMs,
    times.nodesMs,
  )
  const sight = (): Sight => ({ index: cluster.view.stale().rev, at: cluster.env().now })
  let sights: readonly Sight[] = [sight()]
  let running: Promise<void> | undefined
  let closed = false
  let cancel = () => {}
  const arm = () => {
    if (!closed) cancel = timers.after(times.everyMs, look)
  }
  const look = () => {
    sights = withSight(sights, sight(), longest)
    arm()
    // One that takes longer than the pause is not overtaken.
    running ??= collectGarbage(cluster, agesAt(sights, cluster.env().now, times), () => closed)
      .then(() => {})
      .catch((error: unknown) => {
        if (!closed && !isStoreError(error, 'closed')) onError(error)
      })
      .finally(() => {
        running = undefined
      })
  }
  arm()
  return {
    settled: async () => {
      while (running !== undefined) await running
    },
    close: async () => {
      closed = true
      cancel()
      await running
    },
  }
}
