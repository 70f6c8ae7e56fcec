import { nextMacrotask } from '../../../kernel/next-macrotask.ts'
import { isTerminalAllocation } from '../../allocations/rules.ts'
import type { Collected } from '../../gc/collected.ts'
import type { Ages } from '../../gc/collectible.ts'
import { allocationRecords, nodeRecords, nodeTokenRecords, tokenRecords } from '../../records/collections.ts'
import type { Cluster } from '../cluster.ts'
import { beginning } from '../read/list.ts'
import { sweepPurged } from '../write/purge.ts'
import { mustRecord } from '../write/record.ts'
import { candidates, mayCollect, type Removed, removeSome, surveyOf } from './collect-jobs.ts'
import { collectMarks } from './collect-marks.ts'

/**
 * Removes finished objects that are old enough, in batches; every commit decides again on current records. Idempotent,
 * and safe in several concurrent processes.
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
  const survey = surveyOf(cluster, await cluster.view.fresh())
  // Children come after their parents, and must go before them.
  for (const [at, name] of (await candidates(survey)).reverse().entries()) {
    // A memory store answers without a turn of the event loop: other requests would wait until the end.
    if (at % 64 === 63) await nextMacrotask()
    if (!mayCollect(survey, name, ages)) continue
    for (let more = true; more && !isClosed(); ) {
      const { value: removed } = await mustRecord(cluster, (ledger) => ({
        ok: true,
        value: removeSome(cluster, ledger, name, ages),
        events: [],
      }))
      count(removed)
      if (removed.sweep) await sweepPurged(cluster)
      more = removed.more
    }
    await nextMacrotask()
  }
  if (isClosed()) return counts
  counts.nodes = await collectNodes(cluster, ages.nodes)
  counts.tokens = cluster.acl.enabled ? await collectTokens(cluster) : 0
  await collectMarks(cluster, isClosed)
  if (Object.values(counts).some((number) => number > 0))
    cluster.emit({ type: 'garbage.collected', ...counts })
  return counts
}

/** Removes the nodes that have been down for long enough and have no allocations left. */
async function collectNodes(cluster: Cluster, age: number): Promise<number> {
  const { tables, view } = cluster
  let removed = 0
  const down = tables.nodes
    .at(await view.fresh())
    .scan({})
    .filter(({ Status, ModifyIndex }) => Status === 'down' && ModifyIndex <= age)
  for (const { ID } of down) {
    const { value } = await mustRecord(cluster, ({ tx }) => {
      const kept = { ok: true, value: 0, events: [] } as const
      const node = tx.get(nodeRecords, ID)
      if (node === undefined || node.value.Status !== 'down' || node.modified > age) return kept
      const rows =
        tx.guard(allocationRecords.name, 'node', ID) === 0
          ? []
          : tables.allocations
              .at(tx.now)
              .by('node')
              .scan({ prefix: beginning([ID]) })
      if (!rows.every(isTerminalAllocation)) return kept
      tx.delete(nodeRecords, ID)
      if (tx.get(nodeTokenRecords, ID) !== undefined) tx.delete(nodeTokenRecords, ID)
      return { ok: true, value: 1, events: [] }
    })
    removed += value
  }
  return removed
}

/** How many tokens one commit removes: each is two keys, its own and its secret's. */
const batch = 16

/** Removes the tokens that have expired. */
async function collectTokens(cluster: Cluster): Promise<number> {
  const env = cluster.env()
  const isOver = (expires: string | null) => expires !== null && Date.parse(expires) <= env.now
  const expired = tokenRecords
    .list(await cluster.view.fresh())
    .filter(({ value }) => isOver(value.ExpirationTime))
  let removed = 0
  for (let at = 0; at < expired.length; at += batch) {
    const { value } = await mustRecord(cluster, ({ tx }) => {
      let count = 0
      for (const { value } of expired.slice(at, at + batch)) {
        const token = tx.get(tokenRecords, value.AccessorID)
        if (token === undefined || !isOver(token.value.ExpirationTime)) continue
        tx.delete(tokenRecords, value.AccessorID)
        count += 1
      }
      return { ok: true, value: count, events: [] }
    })
    removed += value
  }
  return removed
}
