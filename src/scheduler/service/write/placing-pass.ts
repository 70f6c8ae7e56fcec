import type { Env } from '../../../kernel/index.ts'
import type { Stored } from '../../../store/index.ts'
import type { Decision } from '../../../store/transactions/runner.ts'
import type { AllocationRecord } from '../../allocations/model.ts'
import type { AllocationStop } from '../../allocations/move.ts'
import { isTerminalAllocation } from '../../allocations/rules.ts'
import type { DeploymentRecord } from '../../deployments/model.ts'
import { newEvaluation } from '../../evaluations/create.ts'
import type { EvaluationRecord } from '../../evaluations/model.ts'
import type { JobSpec } from '../../jobs/model.ts'
import { descriptions, type GroupWork } from '../../placement/group-work.ts'
import { byGroup } from '../../placement/reconcile.ts'
import { allocationRecords } from '../../records/collections.ts'
import { rfc3339 } from '../../values/instants.ts'
import type { Cluster } from '../cluster.ts'
import type { SchedulerEvent } from '../events.ts'
import { numbering } from './allocation-numbers.ts'
import { oversubscribesMemory } from './capacity.ts'
import { closeEvaluation, moveOn } from './close-evaluation.ts'
import { followDeployment, specOf } from './deployment-progress.ts'
import type { JobPlan, Progress } from './job-plan.ts'
import type { JobName, Ledger } from './ledger.ts'
import { broughtUpToDate, newAllocation } from './new-allocation.ts'
import type { NextPlacement, PlacementRun } from './placement-run.ts'
import type { Specified } from './preemption.ts'
import { deploymentFor, schedulingInput, worksOf } from './scheduling-input.ts'
import { earlierVersions, evaluate } from './specification.ts'
import { recordStop } from './stop-allocation.ts'
import { waitForHealthy, waitForStagger } from './wait-for-healthy.ts'

/** How many of a commit's 64 keys are for allocations and the marks of their nodes; the rest is for derived records. */
const keys = 32

/** How many keys are left for allocations if a commit closes its evaluation as well. */
const keysToClose = 12

/** The maximum number of keys of one allocation: its own, and its node's mark. */
const most = 2

const isPlain = ({ canary, version, stop, replace, update, later, again }: GroupWork): boolean =>
  !canary &&
  version === undefined &&
  again === undefined &&
  [stop, replace, update, later].every(({ length }) => length === 0)

/** One part of a plan, within one commit. */
export class PlacingPass {
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
  run(plan: JobPlan, name: JobName): Decision<boolean, SchedulerEvent> {
    const ledger = this.#ledger
    const progress = plan.present(ledger, this.#job) ?? plan.begin(ledger.tx.now, this.#decide(name))
    const { deployment, works } = progress
    while (progress.work < works.length && this.#carryOut(progress)) this.#nextWork(progress)
    const isDone = progress.work >= works.length
    const acted = this.#left < keys
    progress.hasActed ||= acted
    const isEmpty = Object.values(deployment?.TaskGroups ?? {}).every(
      ({ DesiredTotal }) => DesiredTotal === 0,
    )
    if (deployment !== undefined && (acted || !(progress.isDeploymentStored || isEmpty))) {
      if (!progress.isDeploymentStored) ledger.putDeployment(deployment)
      progress.isDeploymentStored = true
      this.#events.push(...followDeployment(ledger, deployment.ID, this.#env))
    }
    // The result is checked once more, unless nothing can follow from it; the last commit has other writes.
    const isOver = isDone && (progress.isPlain ? this.#left >= keysToClose : !progress.hasActed)
    if (isOver) this.#waitForProof(works)
    this.#end(isOver, progress)
    if (isDone && !progress.isPlain) plan.end()
    for (const id of this.#nodes) plan.touch(id)
    return { ok: true, value: !isOver, events: this.#events }
  }

  /** Compares the desired state with the current one. */
  #decide(name: JobName): Omit<Progress, 'run'> {
    const ledger = this.#ledger
    const about = { job: this.#job, allocations: ledger.openAllocations(name), now: this.#env.now }
    const input = schedulingInput(this.#cluster, ledger.tx.now, about)
    const indexes = { jobCreateIndex: this.#created, jobModifyIndex: this.#modified }
    const deployments = ledger.deployments(name)
    const known = deployments.findLast(({ JobVersion }) => JobVersion === this.#job.Version)
    const deployment = known ?? deploymentFor(input, deployments, indexes, this.#env)
    const works = worksOf(input, deployment)
    return {
      input,
      works,
      deployment,
      ofGroup: byGroup(input.allocations),
      isDeploymentStored: known !== undefined,
      work: 0,
      stopped: 0,
      updated: 0,
      postponed: 0,
      followUps: new Map(),
      numbers: undefined,
      hasActed: false,
      isPlain: works.every(isPlain),
    }
  }

  #nextWork(progress: Progress): void {
    progress.work += 1
    progress.stopped = 0
    progress.updated = 0
    progress.postponed = 0
    progress.numbers = undefined
  }

  /** Continues a work; returns `false` if this commit is full and the next one must continue. */
  #carryOut(progress: Progress): boolean {
    const work = progress.works[progress.work]
    if (work === undefined) return true
    for (; progress.stopped < work.stop.length; progress.stopped += 1) {
      if (!this.#hasRoom(2)) return false
      const stopping = work.stop[progress.stopped]
      if (stopping === undefined) continue
      const { id, description } = stopping
      // The place of an updated allocation of a system job is filled again.
      this.#stop(progress.run, id, { description, migrate: description === descriptions.updating })
    }
    for (; progress.updated < work.update.length; progress.updated += 1) {
      if (!this.#hasRoom(1)) return false
      this.#update(work.update[progress.updated] ?? '', progress.deployment?.ID ?? '')
    }
    if (!this.#waitFor(work, progress)) return false
    // A system job may start on nodes that join later.
    if (work.place === 0 && !this.#job.Type.startsWith('sys')) return true
    const as = this.#specified(work)
    if (as === undefined) return true
    // Each node has one allocation of a system job, which is its first.
    progress.numbers ??= this.#job.Type.startsWith('sys')
      ? () => 0
      : numbering(work, progress.ofGroup(as.group.Name), as.job.Version)
    // Keys for an allocation and the one that it replaces, which can be on another node.
    while (this.#hasRoom(2)) {
      const placement = progress.run.next(work, as, this.#left === keys)
      if (placement === undefined) return true
      if (placement === 'later') return false
      if ('makesRoom' in placement) {
        // The place is filled again even if the deployment ends first.
        this.#stop(progress.run, placement.makesRoom.ID, {
          description: placement.description,
          migrate: true,
        })
        continue
      }
      this.#put(placement, { work, as, number: progress.numbers, deployment: progress.deployment })
    }
    return false
  }

  /** The task group to place, in its version; `undefined` if that version is no longer kept. */
  #specified({ version, group }: GroupWork): Specified | undefined {
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

  /** Keeps the evaluation open while there is work, and closes it after. */
  #end(isOver: boolean, { run, deployment, isDeploymentStored }: Progress): void {
    // The steps above may have changed the evaluation as well.
    const evaluation = this.#ledger.evaluation(this.#evaluation.ID) ?? this.#evaluation
    const deploymentId = isDeploymentStored ? deployment?.ID : undefined
    const about = { job: this.#job, jobModifyIndex: this.#modified, deploymentId }
    const events = isOver
      ? closeEvaluation(this.#ledger, evaluation, about, run.unplaced, this.#env)
      : evaluation.Status === 'blocked'
        ? moveOn(this.#ledger, evaluation, { verb: 'unblock' }, this.#env)
        : []
    this.#events.push(...events)
  }

  /** Schedules an evaluation for when failed allocations are replaced; `false` if this commit is full. */
  #waitFor({ later }: GroupWork, progress: Progress): boolean {
    if (progress.postponed >= later.length) return true
    const ledger = this.#ledger
    const { followUps } = progress
    const followed = new Set(ledger.openEvaluations(this.#job).map(({ ID }) => ID))
    for (; progress.postponed < later.length; progress.postponed += 1) {
      const due = later[progress.postponed]
      const allocation = due && ledger.allocation(due.id)
      if (due === undefined || allocation === undefined || followed.has(allocation.FollowupEvalID)) continue
      if (!this.#hasRoom(2)) return false
      let evaluationId = followUps.get(due.at)
      if (evaluationId === undefined) {
        const cause = { trigger: 'alloc-failure', job: this.#job, jobModifyIndex: this.#modified } as const
        const evaluation: EvaluationRecord = {
          ...newEvaluation(cause, this.#env),
          StatusDescription: 'created for delayed rescheduling',
          PreviousEval: this.#evaluation.ID,
          WaitUntil: rfc3339(due.at),
        }
        ledger.putEvaluation(evaluation)
        evaluationId = evaluation.ID
        followUps.set(due.at, evaluationId)
        this.#left -= 1
      }
      ledger.putAllocation(Object.assign({}, allocation, { FollowupEvalID: evaluationId }))
      this.#spend(allocation.NodeID)
    }
    return true
  }

  /** Schedules an evaluation for when more allocations can leave draining nodes, or are updated on others. */
  #waitForProof(works: readonly GroupWork[]): void {
    const times = works.flatMap(({ again }) => again ?? [])
    if (times.length === 0) return
    const about = { job: this.#job, jobModifyIndex: this.#modified, at: Math.min(...times) }
    if (this.#job.Type === 'system') waitForStagger(this.#ledger, about, this.#env)
    else waitForHealthy(this.#ledger, about, this.#env)
  }

  /** Stops an allocation, which may have ended already. */
  #stop(run: PlacementRun, id: string, why: AllocationStop): void {
    const allocation = this.#ledger.allocation(id)
    if (allocation === undefined) return
    const events = recordStop(this.#cluster, this.#ledger, allocation, why, this.#env)
    if (events.length === 0) return
    run.stopped(allocation)
    this.#events.push(...events)
    this.#spend(allocation.NodeID)
    // A disconnected one that returned is on its own again.
    const original = this.#ledger.allocation(allocation.PreviousAllocation)
    if (original?.NextAllocation !== id || isTerminalAllocation(original)) return
    this.#ledger.putAllocation(Object.assign({}, original, { NextAllocation: '' }))
    this.#spend(original.NodeID)
  }

  /** Stops an allocation, which may have ended already, and records its successor. */
  #replace(id: string, description: string, next: string): void {
    const ledger = this.#ledger
    const allocation = ledger.allocation(id)
    if (allocation === undefined) return
    const followed = Object.assign({}, allocation, { NextAllocation: next })
    // A disconnected one may return.
    const isKept = description === descriptions.unknown
    const events = isKept ? [] : recordStop(this.#cluster, ledger, followed, { description }, this.#env)
    if (events.length === 0) ledger.putAllocation(followed)
    this.#events.push(...events)
    this.#spend(allocation.NodeID)
  }

  #update(id: string, deploymentId: string): void {
    const allocation = this.#ledger.allocation(id)
    if (allocation === undefined) return
    const about = { job: this.#job, evaluationId: this.#evaluation.ID, deploymentId }
    this.#ledger.putAllocation(
      broughtUpToDate(allocation, about, this.#cluster.simulates(allocation.NodeID), this.#env),
    )
    this.#spend(allocation.NodeID)
  }

  #put(
    { site, usage, metrics, replaced, preempted }: NextPlacement,
    about: {
      readonly work: GroupWork
      readonly as: Specified
      readonly number: (replaced: AllocationRecord | undefined) => number
      readonly deployment: DeploymentRecord | undefined
    },
  ): void {
    const { job, group } = about.as
    const { ID: nodeId } = site.node
    // Resources are promised once: other placements on this node decide again.
    this.#ledger.tx.guard(allocationRecords.name, 'node', nodeId)
    const allocation = newAllocation(
      {
        job,
        group,
        jobCreateIndex: this.#created,
        evaluationId: this.#evaluation.ID,
        node: site.node,
        usage,
        oversubscribes:
          group.Tasks.some(({ Resources }) => Resources.MemoryMaxMB !== 0) &&
          oversubscribesMemory(this.#ledger.tx.now, job.NodePool),
        metrics,
        number: about.number(replaced?.row),
        canary: about.work.canary,
        replaced,
        preempted: preempted.map(({ ID }) => ID),
        // Allocations of an earlier version have no deployment.
        deploymentId: job === this.#job ? (about.deployment?.ID ?? '') : '',
      },
      this.#cluster.simulates(nodeId),
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
    this.#spend(nodeId)
    if (replaced?.row !== undefined) this.#replace(replaced.row.ID, replaced.description, allocation.ID)
    if (preempted.length > 0) this.#preempt(preempted, allocation.ID)
  }

  /** Evicts allocations, and evaluates their jobs, which need replacements. */
  #preempt(victims: readonly AllocationRecord[], by: string): void {
    const ledger = this.#ledger
    const jobs = new Map<string, JobName>()
    for (const { ID, Namespace, JobID } of victims) {
      const description = `Preempted by alloc ID ${by}`
      const why = { description, migrate: true, preemptedBy: by }
      this.#events.push(...recordStop(this.#cluster, ledger, ledger.allocation(ID), why, this.#env))
      jobs.set(JSON.stringify([Namespace, JobID]), { Namespace, ID: JobID })
    }
    for (const name of jobs.values()) {
      const job = ledger.job(name)
      if (job !== undefined && !job.value.Stop)
        evaluate(ledger, job.value, 'preemption', this.#env, { jobModifyIndex: job.modified })
    }
    // Their jobs have records of their own in this commit.
    this.#left = 0
  }
}
