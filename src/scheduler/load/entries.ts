import type { Env } from '../../kernel/index.ts'
import type { Collection, Entry, Json, Rev } from '../../store/index.ts'
import { inRegion } from '../jobs/region.ts'
import { jobStatusOf } from '../jobs/status.ts'
import { queuedOf, summariseChildren, summariseGroups } from '../jobs/summary.ts'
import { ofIncarnation } from '../jobs/work.ts'
import { isBuiltIn, poolNamed } from '../pools/rules.ts'
import {
  allocationRecords,
  bootstrapRecords,
  clusterMark,
  deploymentRecords,
  evaluationRecords,
  jobRecords,
  jobScopes,
  jobStatusRecords,
  jobSummaryRecords,
  launchRecords,
  namespaceRecords,
  nodeRecords,
  policyRecords,
  poolRecords,
  tokenRecords,
} from '../records/collections.ts'
import type { SchedulerRecords } from '../wire/records.ts'
import { type Given, kindsOf } from './kinds.ts'

/** Every key of the realm, marks included. */
export function entriesOf(
  records: SchedulerRecords,
  env: Env,
  region: string,
): { readonly entries: readonly Entry[]; readonly head: Rev } {
  const given = kindsOf(records).flatMap(([, rows]) =>
    rows.map(({ CreateIndex = 1, ModifyIndex = 1 }) => Math.max(CreateIndex, ModifyIndex)),
  )
  const jobIndexes = records.jobs.map(({ JobModifyIndex = 1 }) => JobModifyIndex)
  const summaryIndexes = records.jobs.map(({ JobSummary }) => JobSummary?.ModifyIndex ?? 1)
  const highest = [...given, ...jobIndexes, ...summaryIndexes].reduce((a, b) => Math.max(a, b), 1)
  const into = realmEntries(highest)
  const { touch, put, putAll, numbered } = into

  touch(clusterMark, 1)
  putAll(namespaceRecords, records.namespaces)
  putAll(
    poolRecords,
    records.pools.filter(({ Name }) => !isBuiltIn(Name)),
  )
  for (const { CreateIndex, ModifyIndex, ...node } of records.nodes) {
    const [created, modified] = numbered({ CreateIndex, ModifyIndex })
    put(nodeRecords, node, created, modified)
    const pool = poolNamed(node.NodePool)
    if (!isBuiltIn(pool.Name) && !into.has(poolRecords.keyOf(pool.Name)))
      put(poolRecords, pool, created, created)
  }
  putJobs(into, records, env, region)
  putAll(deploymentRecords, records.deployments)
  putAll(allocationRecords, records.allocations)
  putAll(evaluationRecords, records.evaluations)
  putAll(policyRecords, records.policies)
  const tokens = records.tokens.map((token) => ({
    ...token,
    AccessorID: token.AccessorID ?? env.newId('accessor'),
  }))
  putAll(tokenRecords, tokens)
  const first = records.tokens.findIndex(({ Type }) => Type === 'management')
  const manager = first < 0 ? undefined : tokens[first]
  // A cluster loaded with a management token has been bootstrapped.
  if (manager) put(bootstrapRecords, { accessor: manager.AccessorID }, into.head(), into.head())
  return { entries: into.all(), head: into.head() }
}

/** The entries of a realm; records without indexes get the next ones. */
function realmEntries(highest: Rev) {
  let head = highest
  const entries = new Map<string, Entry>()
  const touch = (mark: string, rev: Rev) => {
    const before = entries.get(mark)
    const created = Math.min(before?.created ?? rev, rev)
    entries.set(mark, { key: mark, value: null, created, modified: Math.max(before?.modified ?? 0, rev) })
  }
  const put = <Row>(into: Collection<Row>, row: Row, created: Rev, modified: Rev) => {
    const key = into.keyOf(...into.parts(row))
    // Records of one kind get one hidden class this way; rest patterns leave each with its own, and filters crawl.
    const value: Json = JSON.parse(JSON.stringify(row))
    entries.set(key, { key, value, created, modified })
    for (const unique of into.uniqueKeys(row))
      entries.set(unique, { key: unique, value: key, created, modified })
    for (const mark of into.marksOf(row)) touch(mark, modified)
  }
  const numbered = ({ CreateIndex, ModifyIndex }: Given): readonly [Rev, Rev] => {
    const created = CreateIndex ?? ModifyIndex
    if (created !== undefined) return [created, ModifyIndex ?? created]
    head += 1
    return [head, head]
  }
  const putAll = <Row extends object>(into: Collection<Row>, rows: readonly (Row & Given)[]) => {
    // Without its indexes it is the record again.
    for (const { CreateIndex, ModifyIndex, ...row } of rows)
      put(into, row as unknown as Row, ...numbered({ CreateIndex, ModifyIndex }))
  }
  return {
    touch,
    put,
    putAll,
    numbered,
    has: (key: string): boolean => entries.has(key),
    all: (): readonly Entry[] => [...entries.values()],
    head: (): Rev => head,
  }
}

/** Adds the jobs with what belongs to each: its status, its summary and its next launch. */
function putJobs(
  { touch, put, numbered }: ReturnType<typeof realmEntries>,
  records: SchedulerRecords,
  env: Env,
  region: string,
): void {
  const { children, statusOf, groupsOf } = belongings(records)
  for (const record of records.jobs) {
    const {
      CreateIndex,
      ModifyIndex,
      JobModifyIndex,
      Status: _status,
      StatusDescription,
      Stable,
      JobSummary,
      ...spec
    } = record
    const [created, modified] = numbered({
      CreateIndex,
      ModifyIndex: ModifyIndex ?? JobModifyIndex,
    })
    const { Namespace, ID } = spec
    const job = inRegion({ ...spec, Name: spec.Name === '' ? ID : spec.Name }, region)
    put(jobRecords, job, created, JobModifyIndex ?? modified)
    put(
      jobStatusRecords,
      { Namespace, ID, Status: statusOf(record), StatusDescription, Stable },
      created,
      modified,
    )
    const { Summary, Children } = JobSummary ?? {
      Summary: groupsOf(record),
      Children: summariseChildren(children(Namespace, ID)),
    }
    put(
      jobSummaryRecords,
      { JobID: ID, Namespace, Summary, Children },
      JobSummary?.CreateIndex ?? created,
      JobSummary?.ModifyIndex ?? JobSummary?.CreateIndex ?? modified,
    )
    // A schedule counts from the load, however old the job is.
    if (job.Periodic !== null)
      put(launchRecords, { Namespace, JobID: ID, LaunchedAt: env.now }, modified, modified)
    for (const scope of jobScopes(job)) touch(jobRecords.markOf(...scope), modified)
  }
}

type JobGiven = SchedulerRecords['jobs'][number]

/** The records of each job, including its children. */
function belongings(records: SchedulerRecords) {
  const deployments = byJob(records.deployments, ({ Namespace, JobID }) => [Namespace, JobID])
  const allocations = byJob(records.allocations, ({ Namespace, JobID }) => [Namespace, JobID])
  const evaluations = byJob(records.evaluations, ({ Namespace, JobID }) => [Namespace, JobID])
  /** Without the records of a purged job with that ID. */
  const present = <Row extends { readonly JobCreateIndex: number }>(job: JobGiven, rows: readonly Row[]) => {
    const created = job.CreateIndex ?? job.ModifyIndex ?? job.JobModifyIndex
    return created === undefined ? rows : rows.filter((row) => ofIncarnation(row, created))
  }
  const statusOf = (job: JobGiven) =>
    job.Status ??
    jobStatusOf(job, {
      deployments: present(job, deployments(job.Namespace, job.ID)),
      allocations: present(job, allocations(job.Namespace, job.ID)),
      evaluations: evaluations(job.Namespace, job.ID),
    })
  const groupsOf = (job: JobGiven) =>
    summariseGroups(
      job,
      present(job, allocations(job.Namespace, job.ID)),
      queuedOf(evaluations(job.Namespace, job.ID)),
    )
  const children = byJob(
    records.jobs.filter(({ ParentID }) => ParentID !== '').map((job) => ({ ...job, Status: statusOf(job) })),
    ({ Namespace, ParentID }) => [Namespace, ParentID],
  )
  return { children, statusOf, groupsOf }
}

/** Rows grouped by the job they name. */
function byJob<Row>(rows: readonly Row[], jobOf: (row: Row) => readonly [namespace: string, id: string]) {
  const groups = new Map<string, Row[]>()
  for (const row of rows) {
    const key = JSON.stringify(jobOf(row))
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [row])
    else group.push(row)
  }
  return (namespace: string, id: string): readonly Row[] => groups.get(JSON.stringify([namespace, id])) ?? []
}
