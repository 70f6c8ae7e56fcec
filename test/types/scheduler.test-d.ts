import { type ServiceEvent, systemEnv } from 'plinth'
import {
  createScheduler,
  deletePool,
  type JobInput,
  JobSpec,
  type JobStub,
  type NodeInput,
  type NodePool,
  NodeRecord,
  type PoolJobStub,
  type PoolSpec,
  type Scheduler,
  type SchedulerEvent,
  upsertPool,
} from 'plinth/scheduler'
import { memoryStore } from 'plinth/store'
import { expectAssignable, expectError, expectNotAssignable, expectType } from 'tsd'

const scheduler = createScheduler({
  store: memoryStore(),
  words: ['Acme'],
  onEvent: (event) => expectType<ServiceEvent<SchedulerEvent>>(event),
})

// Everything may be left out, or be undefined; words are one at least.
expectType<Scheduler>(createScheduler())
expectType<Scheduler>(createScheduler({ store: undefined, collect: undefined }))
expectError(createScheduler({ store: memoryStore(), words: 'Acme' }))
expectError(createScheduler({ store: memoryStore(), errors: 'strict' }))

// Every method answers with a value or with the refusals of that very method.
const pool = await scheduler.readPool('gpu')
if (pool.ok) {
  expectType<NodePool>(pool.value)
  expectType<number>(pool.index)
} else expectType<'permission_denied' | 'pool_not_found'>(pool.refusal.code)

const jobs = await scheduler.listJobs({ filter: 'Status == "running"', perPage: 10, meta: true })
if (jobs.ok) {
  expectType<readonly JobStub[]>(jobs.value)
  expectType<string | undefined>(jobs.nextToken)
} else
  expectType<'permission_denied' | 'invalid_filter' | 'filter_failed' | 'invalid_page_token'>(
    jobs.refusal.code,
  )
expectError(scheduler.listJobs({ filter: 7 }))
expectError(scheduler.listJobs({ per_page: 10 }))

// The stub of a job is one of a pool's list too, not the other way round.
declare const stub: JobStub
declare const poolStub: PoolJobStub
expectAssignable<PoolJobStub>(stub)
expectNotAssignable<JobStub>(poolStub)

// What methods take need not be whole, at any depth; what a schema made of it is taken as well.
const web = { ID: 'web', TaskGroups: [{ Name: 'app', Tasks: [{ Name: 'server', Resources: { CPU: 500 } }] }] }
expectAssignable<JobInput>(web)
expectAssignable<JobInput>(JobSpec.parse(web))
expectAssignable<NodeInput>(NodeRecord.parse({ ID: 'n1' }))
const registered = await scheduler.registerJob(web, { enforceIndex: 0 })
if (registered.ok) expectType<string>(registered.value.EvalID)
expectAssignable<Promise<unknown>>(scheduler.planJob(web, { diff: true }))
expectAssignable<Promise<unknown>>(scheduler.validateJob({ ID: 'web', Type: 'batch', Periodic: {} }))
expectAssignable<Promise<unknown>>(
  scheduler.registerNode({ ID: 'n1', NodeResources: { Cpu: { CpuShares: 500 } } }),
)
expectAssignable<Promise<unknown>>(scheduler.upsertPolicy({ Name: 'dev' }))
expectAssignable<Promise<unknown>>(scheduler.writeToken(undefined, { Type: 'client' }))
expectAssignable<Promise<unknown>>(scheduler.writeSchedulerConfiguration({ SchedulerAlgorithm: 'spread' }))
expectError(scheduler.registerJob({}))
expectError(scheduler.registerJob({ ID: 'web', Type: 'odd' }))
expectError(scheduler.registerJob({ ID: 'web', TaskGroups: [{ Tasks: [] }] }))
expectError(scheduler.registerNode({ Name: 'n1' }))
// Commands, which carry no schema, take what is whole.
declare const short: JobInput
expectNotAssignable<JobSpec>(short)

// Commands list their refusals, and take a whole pool. A pool needs only its name; all other fields have defaults.
const gpu = await scheduler.upsertPool({ Name: 'gpu' })
if (gpu.ok) expectType<NodePool>(gpu.value)
expectError(scheduler.upsertPool({ Description: 'Cards' }))

declare const spec: PoolSpec
const written = upsertPool(undefined, spec, systemEnv())
if (!written.ok) expectType<'invalid_pool' | 'built_in_pool'>(written.refusal.code)
expectError(upsertPool(undefined, { Name: 'gpu' }, systemEnv()))
expectError(deletePool(spec, { name: 'gpu' }, systemEnv()))
