import type { Env } from '../../../kernel/index.ts'
import type { Stored } from '../../../store/index.ts'
import type { Decision } from '../../../store/transactions/runner.ts'
import { newEvaluation } from '../../evaluations/create.ts'
import type { EvaluationRecord } from '../../evaluations/model.ts'
import { isTerminalEvaluation, isWaiting } from '../../evaluations/rules.ts'
import type { JobSpec } from '../../jobs/model.ts'
import type { GroupWork } from '../../placement/group-work.ts'
import { type Placement, place } from '../../placement/place.ts'
import { byGroup } from '../../placement/reconcile.ts'
import { allocationRecords, nodeRecords } from '../../records/collections.ts'
import { rfc3339 } from '../../values/instants.ts'
import type { Cluster } from '../cluster.ts'
import type { SchedulerEvent } from '../events.ts'
import { numbering } from './allocation-numbers.ts'
import { algorithmOf, freedBy, occupiedBy, usedOn, withPlacements } from './capacity.ts'
import { closeEvaluation, moveOn } from './close-evaluation.ts'
import { followDeployment, specOf } from './deployment-progress.ts'
import type { JobName, Ledger } from './ledger.ts'
import { broughtUpToDate, newAllocation, type Placed } from './new-allocation.ts'
import { mustRecord } from './record.ts'
import { deploymentFor, schedulingInput, worksOf } from './scheduling-input.ts'
import { earlierVersions } from './specification.ts'
import { recordStop } from './stop-allocation.ts'
import { waitForHealthy } from './wait-for-healthy.ts'

/** How many keys one commit has for allocations and the marks of their nodes: of 64, the rest is for what follows. */
const keys = 32

/** What one allocation takes at most: its own key, and its node's mark. */
const most = 2

/**
 * Works an evaluation off, as far as one commit reaches: allocations are stopped, brought up to date and placed, the
 * deployment of the present version is begun and followed.
 *
 * @returns whether there is more to do for it now
 */
export async function placeSome(cluster: Cluster, evaluationId: string): Promise<boolean> {
  const { value } = await mustRecord(cluster, (ledger, env) => {
    const evaluation = ledger.evaluation(evaluationId)
    if (evaluation === undefined || isTerminalEvaluation(evaluation) || isWaiting(evaluation, env.now))
      return { ok: true, value: false, events: [] }
    const name = { Namespace: evaluation.Namespace, ID: evaluation.JobID }
    const job = ledger.job(name)
    if (job === undefined) {
      const description = `job ${name.ID} deleted`
      const verb = evaluation.Status === 'pending' ? 'complete' : 'cancel'
      return { ok: true, value: false, events: moveOn(ledger, evaluation, { verb, description }, env) }
    }
    if (job.value.Stop) return { ok: true, value: false, events: [] }
    return new Pass(cluster, ledger, job, evaluation, env).run(name)
  })
  return value
}

/** One look at one job, within one commit. */
class Pass {
  readonly #cluster: Cluster
  readonly #ledger: Ledger
  readonly #job: JobSpec
  readonly #created: number
  readonly #modified: number
  readonly #evaluation: EvaluationRecord
  readonly #env: Env
  readonly #events: SchedulerEvent[] = []
  #left = keys
  readonly #nodes = new Set<string>()

  constructor(
    cluster: Cluster,
    ledger: Ledger,
    job: Stored<JobSpec>,
    evaluation: EvaluationRecord,
    env: Env,
  ) {
    this.#cluster = cluster
    this.#ledger = ledger
    this.#job = job.value
    this.#created = job.created
    this.#modified = job.modified
    this.#evaluation = evaluation
    this.#env = env
  }

  /** Decides whether there is more to do. */
  run(name: JobName): Decision<boolean, SchedulerEvent> {
    const ledger = this.#ledger
    const job = this.#job
    const { now } = ledger.tx
    const allocations = ledger.allocations(name)
    // None of the nodes the job may run on may change before the commit.
    if (job.NodePool === 'all') ledger.tx.guard(nodeRecords.name)
    else ledger.tx.guard(nodeRecords.name, 'pool', job.NodePool)
    const input = schedulingInput(this.#cluster, now, { job, allocations, now: this.#env.now })
    const { nodes } = input
    const indexes = { jobCreateIndex: this.#created, jobModifyIndex: this.#modified }
    const deployments = ledger.deployments(name)
    const known = deployments.findLast(({ JobVersion }) => JobVersion === job.Version)
    const deployment = known ?? deploymentFor(input, deployments, indexes, this.#env)
    const works = worksOf(input, deployment)
    const unplaced = new Map<string, number>()
    const own = byGroup(input.allocations)
    const rows = this.#cluster.tables.allocations.at(now)
    let used = usedOn(this.#cluster, now, nodes)
    for (const work of works) {
      for (const { id, description } of work.stop) this.#stop(id, description)
      for (const id of work.update) this.#update(id, deployment?.ID ?? '')
      this.#waitFor(work)
      if (work.place === 0) continue
      // This commit is full; the next one goes on.
      if (!this.#hasRoom(1)) continue
      const of = this.#specified(work)
      if (of === undefined) continue
      const { job: placed, group } = of
      const wanted = Math.min(work.place, this.#left)
      const freed = freedBy(work.replace.slice(0, wanted), rows)
      const plan = place({
        // The group alone: place() goes through all that there are.
        job: { ...placed, TaskGroups: [group] },
        wanted: { [group.Name]: wanted },
        nodes,
        used,
        freed,
        occupied: job.Type.startsWith('sys') ? occupiedBy(group.Name, own(group.Name)) : undefined,
        algorithm: algorithmOf(now, job.NodePool),
      })
      const missing = Object.hasOwn(plan.unplaced, group.Name) ? (plan.unplaced[group.Name] ?? 0) : 0
      if (missing > 0 && !job.Type.startsWith('sys'))
        unplaced.set(group.Name, (unplaced.get(group.Name) ?? 0) + work.place - plan.placements.length)
      const nextNumber = numbering(work, own(group.Name), placed.Version)
      const taken: Placement[] = []
      for (const [at, placement] of plan.placements.entries()) {
        const replaced = work.replace[at]
        if (!this.#hasRoom(replaced === undefined ? 1 : 2)) break
        taken.push(placement)
        const before = replaced && rows.get(replaced.id)
        const number = nextNumber(before)
        const previous = before?.ID ?? ''
        // No deployment watches what is of an earlier version.
        const deploymentId = placed === job ? (deployment?.ID ?? '') : ''
        const id = this.#put({ canary: work.canary, placement, number, previous, deploymentId, ...of })
        if (replaced !== undefined) this.#stop(replaced.id, replaced.description, id)
      }
      used = withPlacements(used, taken, freed)
    }
    const acted = this.#left < keys
    if (acted && deployment !== undefined) {
      if (known === undefined) ledger.putDeployment(deployment)
      this.#events.push(...followDeployment(ledger, deployment.ID, this.#env))
    }
    // What was just done is looked at once more anyway.
    if (!acted) this.#waitForProof(works)
    this.#end(acted, Object.fromEntries(unplaced))
    return { ok: true, value: acted, events: this.#events }
  }

  /** What is to be placed, as its version specifies it; `undefined` where that is no longer kept. */
  #specified({ version, group }: GroupWork): Pick<Placed, 'job' | 'group'> | undefined {
    if (version === undefined) return { job: this.#job, group }
    const earlier = earlierVersions(this.#ledger, this.#job).find(({ Version }) => Version === version)
    const before = earlier?.TaskGroups.find(({ Name }) => Name === group.Name)
    return earlier && before && { job: specOf(earlier), group: before }
  }

  #hasRoom(allocations: number): boolean {
    return this.#left >= allocations * most
  }

  /** Allocations of one node raise one mark. */
  #spend(nodeId: string): void {
    this.#left -= this.#nodes.has(nodeId) ? 1 : most
    this.#nodes.add(nodeId)
  }

  /** Leaves the evaluation open while there is something to do, and closes it after. */
  #end(acted: boolean, unplaced: Readonly<Record<string, number>>): void {
    // What happened above may have looked at the evaluation as well.
    const evaluation = this.#ledger.evaluation(this.#evaluation.ID) ?? this.#evaluation
    const about = { job: this.#job, jobModifyIndex: this.#modified }
    const events = !acted
      ? closeEvaluation(this.#ledger, evaluation, about, unplaced, this.#env)
      : evaluation.Status === 'blocked'
        ? moveOn(this.#ledger, evaluation, { verb: 'unblock' }, this.#env)
        : []
    this.#events.push(...events)
  }

  /** Has the job looked at again when what failed is to be replaced. */
  #waitFor({ later }: GroupWork): void {
    if (later.length === 0) return
    const ledger = this.#ledger
    const followed = new Set(ledger.openEvaluations(this.#job).map(({ ID }) => ID))
    const evaluations = new Map<number, string>()
    for (const { id, at } of later) {
      const allocation = ledger.allocation(id)
      if (allocation === undefined || followed.has(allocation.FollowupEvalID) || !this.#hasRoom(2)) continue
      let evaluationId = evaluations.get(at)
      if (evaluationId === undefined) {
        const cause = { trigger: 'alloc-failure', job: this.#job, jobModifyIndex: this.#modified } as const
        const evaluation: EvaluationRecord = {
          ...newEvaluation(cause, this.#env),
          StatusDescription: 'created for delayed rescheduling',
          PreviousEval: this.#evaluation.ID,
          WaitUntil: rfc3339(at),
        }
        ledger.putEvaluation(evaluation)
        evaluationId = evaluation.ID
        evaluations.set(at, evaluationId)
        this.#left -= 1
      }
      ledger.putAllocation({ ...allocation, FollowupEvalID: evaluationId })
      this.#spend(allocation.NodeID)
    }
  }

  /** Has the job looked at again when more of it may leave draining nodes. */
  #waitForProof(works: readonly GroupWork[]): void {
    const times = works.flatMap(({ again }) => again ?? [])
    if (times.length === 0) return
    const about = { job: this.#job, jobModifyIndex: this.#modified, at: Math.min(...times) }
    waitForHealthy(this.#ledger, about, this.#env)
  }

  /** Tells an allocation to stop, which may be over already, and says which one comes after it. */
  #stop(id: string, description: string, next = ''): void {
    if (!this.#hasRoom(1)) return
    const ledger = this.#ledger
    const allocation = ledger.allocation(id)
    if (allocation === undefined) return
    const followed = next === '' ? allocation : { ...allocation, NextAllocation: next }
    const events = recordStop(this.#cluster, ledger, followed, { description }, this.#env)
    if (events.length === 0) {
      if (followed === allocation) return
      ledger.putAllocation(followed)
    }
    this.#events.push(...events)
    this.#spend(allocation.NodeID)
  }

  #update(id: string, deploymentId: string): void {
    const allocation = this.#ledger.allocation(id)
    if (allocation === undefined || !this.#hasRoom(1)) return
    const about = { job: this.#job, evaluationId: this.#evaluation.ID, deploymentId }
    this.#ledger.putAllocation(broughtUpToDate(allocation, about, this.#cluster.simulate, this.#env))
    this.#spend(allocation.NodeID)
  }

  #put(placed: Omit<Placed, 'jobCreateIndex' | 'evaluationId'>): string {
    const { job, placement } = placed
    // Room is promised once: whoever else places on this node decides again.
    this.#ledger.tx.guard(allocationRecords.name, 'node', placement.nodeId)
    const allocation = newAllocation(
      { jobCreateIndex: this.#created, evaluationId: this.#evaluation.ID, ...placed },
      this.#cluster.simulate,
      this.#env,
    )
    this.#ledger.putAllocation(allocation)
    this.#events.push({
      type: 'allocation.moved',
      allocation: allocation.ID,
      job: job.ID,
      namespace: job.Namespace,
      clientStatus: allocation.ClientStatus,
      desiredStatus: 'run',
    })
    this.#spend(allocation.NodeID)
    return allocation.ID
  }
}
