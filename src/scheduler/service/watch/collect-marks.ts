import { nextMacrotask } from '../../../kernel/next-macrotask.ts'
import { type Entry, marks, type OrderedRows, partsOf, type Snapshot } from '../../../store/index.ts'
import {
  allocationRecords,
  clusterMark,
  deploymentRecords,
  evaluationRecords,
  jobRecords,
  jobVersionRecords,
  nodeRecords,
} from '../../records/collections.ts'
import type { Cluster } from '../cluster.ts'
import { beginning } from '../read/list.ts'

/** How many marks one commit drops: a commit has 64 keys. */
const batch = 60

/**
 * Drops the marks of removed jobs, nodes, pools and namespaces, because a cluster that kept a mark of each would grow
 * without limit.
 */
export async function collectMarks(cluster: Cluster, isClosed: () => boolean): Promise<void> {
  const { view, env } = cluster
  const now = await view.fresh()
  const isUnused = unusedAt(cluster, now)
  const unused: Entry[] = []
  for (const [at, mark] of now.scan({ prefix: marks }).entries()) {
    if (isUnused(mark.key)) unused.push(mark)
    if (at % 4096 === 4095) await nextMacrotask()
  }
  for (let at = 0; at < unused.length && !isClosed(); at += batch) {
    const going = unused.slice(at, at + batch)
    // A mark that rose meanwhile is in use again: the next collection drops the others of its batch.
    const expect = going.map(({ key, modified }) => ({ key, rev: modified }))
    await view.store.commit([
      { id: env().newId('commit'), expect, del: going.map(({ key }) => key), touch: [clusterMark] },
    ])
    await nextMacrotask()
  }
}

/** Whether neither the owner of a mark nor anything that raises it is left. Marks of whole tables stay. */
function unusedAt({ tables }: Cluster, now: Snapshot): (mark: string) => boolean {
  type Parts = readonly string[]
  const [jobs, nodes] = [tables.jobs.at(now), tables.nodes.at(now)]
  const [deployments, allocations] = [tables.deployments.at(now), tables.allocations.at(now)]
  const evaluations = tables.evaluations.at(now)
  const isEmpty = (rows: Pick<OrderedRows<unknown>, 'scan'>) => (parts: Parts) =>
    rows.scan({ prefix: beginning(parts), limit: 1 }).length === 0
  const ofJob = (rows: Pick<OrderedRows<unknown>, 'scan'>) => (parts: Parts) =>
    jobs.get(...parts) === undefined && isEmpty(rows)(parts)
  const ofNode = (parts: Parts) => nodes.get(...parts) === undefined && isEmpty(allocations.by('node'))(parts)
  const versions: Pick<OrderedRows<unknown>, 'scan'> = {
    scan: ({ prefix = '', limit } = {}) => now.scan({ prefix: jobVersionRecords.prefix + prefix, limit }),
  }
  const scopes = new Map([
    [`${nodeRecords.name} pool`, isEmpty(nodes.by('pool'))],
    [`${jobRecords.name} pool`, isEmpty(jobs.by('pool'))],
    [`${jobRecords.name} namespace`, isEmpty(jobs)],
    [`${jobRecords.name} children`, ofJob(jobs.by('parent'))],
    [`${jobVersionRecords.name} job`, ofJob(versions)],
    [`${deploymentRecords.name} namespace`, isEmpty(deployments.by('namespace'))],
    [`${deploymentRecords.name} job`, ofJob(deployments.by('job'))],
    [`${allocationRecords.name} namespace`, isEmpty(allocations.by('namespace'))],
    [`${allocationRecords.name} job`, ofJob(allocations.by('job'))],
    [`${allocationRecords.name} node`, ofNode],
    [`${evaluationRecords.name} namespace`, isEmpty(evaluations.by('namespace'))],
    [`${evaluationRecords.name} job`, ofJob(evaluations.by('job'))],
  ])
  return (mark) => {
    const [, table, scope, ...parts] = partsOf(mark)
    return scopes.get(`${table} ${scope}`)?.(parts) ?? false
  }
}
