import { seededRandom } from '../../kernel/seeded-random.ts'
import { type DemoJob, demoJobs } from './jobs.ts'

/**
 * A realistic cluster as the records of a load file: 200 nodes in four pools and three datacenters, and 40 jobs in
 * three namespaces with their allocations; the last version of one job fails its deployment. The same seed gives the
 * same cluster, whose last job was registered a quarter of an hour before `now` (2026-01-01 by default, in
 * milliseconds).
 *
 * @example
 * ```ts
 * import { createScheduler } from 'plinth/scheduler'
 * import { demoCluster } from 'plinth/scheduler/demo'
 * import { memoryStore } from 'plinth/store'
 *
 * const scheduler = createScheduler({ store: memoryStore() })
 * await scheduler.load(demoCluster())
 * const gpus = await scheduler.listNodes({ filter: 'NodePool == "gpu" and Attributes["os.name"] == "ubuntu"' })
 * gpus.ok && gpus.value.length > 0 // true
 * ```
 */
export function demoCluster(seed = 1, now = Date.UTC(2026, 0, 1, 1)) {
  const random = seededRandom(seed)
  const began = now - 3_600_000
  const nodes = demoNodes(random, began)
  return { pools: demoPools(), nodes, ...demoWork(demoJobs(), nodes, random, began) }
}

type Random = () => number

const uuid = (random: Random): string => {
  const hex = (digits: number) =>
    Array.from({ length: digits }, () => Math.floor(random() * 16).toString(16)).join('')
  return `${hex(8)}-${hex(4)}-4${hex(3)}-a${hex(3)}-${hex(12)}`
}

const second = 1_000_000_000
const minute = 60_000

const demoPools = () => [
  {
    CreateIndex: 5,
    Name: 'gpu',
    Description: 'Machines with accelerators',
    Meta: { owner: 'ml-platform', cost_center: '4711' },
    SchedulerConfiguration: { SchedulerAlgorithm: 'spread' },
  },
  {
    CreateIndex: 6,
    Name: 'edge',
    Description: 'Small machines close to the customers',
    Meta: { owner: 'delivery' },
  },
  {
    CreateIndex: 7,
    Name: 'batch',
    Description: 'Cheap machines that may go away',
    Meta: { owner: 'data' },
    SchedulerConfiguration: { SchedulerAlgorithm: 'binpack' },
  },
]

const classes = {
  default: { count: 120, cores: 8, memory: 32_768, class: 'standard' },
  gpu: { count: 16, cores: 32, memory: 262_144, class: 'accelerated' },
  edge: { count: 24, cores: 4, memory: 8_192, class: 'small' },
  batch: { count: 40, cores: 16, memory: 65_536, class: 'preemptible' },
} as const

const datacenters = ['dc1', 'dc2', 'dc3'] as const
const releases = {
  ubuntu: { name: 'ubuntu', version: '24.04', kernel: '6.8.0' },
  debian: { name: 'debian', version: '12', kernel: '6.1.0' },
} as const

function demoNodes(random: Random, began: number) {
  const at0 = after(began)
  let number = 0
  return Object.entries(classes).flatMap(([pool, kind]) =>
    Array.from({ length: kind.count }, (_, at) => {
      number += 1
      const datacenter = datacenters[at % 3] ?? 'dc1'
      const os = random() < 0.7 ? releases.ubuntu : releases.debian
      const chance = random()
      const down = chance < 0.03
      const draining = !down && chance < 0.06
      const mhz = kind.cores * 2600
      const address = `10.${1 + (at % 3)}.${Math.floor(number / 250)}.${1 + (number % 250)}`
      return {
        CreateIndex: 10 + number,
        ID: uuid(random),
        Name: `${pool === 'default' ? 'node' : pool}-${String(at + 1).padStart(3, '0')}`,
        Datacenter: datacenter,
        NodeClass: kind.class,
        NodePool: pool,
        HTTPAddr: `${address}:4646`,
        Attributes: {
          'cpu.arch': pool === 'edge' ? 'arm64' : 'amd64',
          'cpu.numcores': String(kind.cores),
          'kernel.name': 'linux',
          'kernel.version': os.kernel,
          'memory.totalbytes': String(kind.memory * 1_048_576),
          'os.name': os.name,
          'os.version': os.version,
          'unique.network.ip-address': address,
          'scheduler.version': chance < 0.2 ? '1.9.4' : '1.10.0',
          ...(pool === 'gpu' ? { 'driver.gpu': '1', 'gpu.count': '8' } : {}),
        },
        Meta: { rack: `${datacenter}-r${1 + (at % 12)}`, owner: pool === 'gpu' ? 'ml-platform' : 'infra' },
        NodeResources: {
          Cpu: { CpuShares: mhz, TotalCpuCores: kind.cores },
          Memory: { MemoryMB: kind.memory },
          Disk: { DiskMB: 200_000 },
        },
        ReservedResources: { Cpu: { CpuShares: 500 }, Memory: { MemoryMB: 512 }, Disk: { DiskMB: 4096 } },
        Drivers: drivers(pool, at0(0)),
        Status: down ? 'down' : 'ready',
        StatusDescription: down ? 'missed heartbeats' : '',
        StatusUpdatedAt: Math.floor(began / 1000) + number,
        SchedulingEligibility: draining ? 'ineligible' : 'eligible',
        DrainStrategy: draining ? { Deadline: 3600 * second, StartedAt: at0(number) } : null,
        LastDrain: draining ? { StartedAt: at0(number), UpdatedAt: at0(number), Status: 'draining' } : null,
      }
    }),
  )
}

const after =
  (began: number) =>
  (seconds: number): string =>
    new Date(began + seconds * 1000).toISOString()

const drivers = (pool: string, detected: string) =>
  Object.fromEntries(
    ['docker', 'exec', ...(pool === 'batch' ? ['java'] : [])].map((name) => [
      name,
      {
        Attributes: { [`driver.${name}`]: 'true' },
        Detected: true,
        Healthy: true,
        HealthDescription: 'Healthy',
        UpdateTime: detected,
      },
    ]),
  )

type DemoNode = ReturnType<typeof demoNodes>[number]

/** A job with what was decided for it. */
interface Decided {
  readonly job: DemoJob
  /** Its place in the list of jobs, from which its times follow. */
  readonly at: number
  readonly began: number
  /** The first of the ten indexes that the job has to itself: registered, evaluated, deployed, placed, running, done. */
  readonly born: number
  readonly version: number
  /** How many allocations it has. */
  readonly count: number
  readonly isFinished: boolean
  readonly fails: boolean
  readonly evaluation: string
  readonly deployment: string
}

/** Jobs with the records that scheduling created for them. */
function demoWork(jobs: readonly DemoJob[], nodes: readonly DemoNode[], random: Random, began: number) {
  const deployments: object[] = []
  const allocations: object[] = []
  const evaluations: object[] = []
  const records = jobs.map((job, at) => {
    const { id, type } = job
    const hosts = nodes.filter(
      (node) =>
        node.NodePool === job.pool && node.Status === 'ready' && node.SchedulingEligibility === 'eligible',
    )
    // Periodic and parameterized jobs have no allocations themselves.
    const isTemplate = id === 'daily-report' || id === 'export-orders'
    const first = Math.floor(random() * hosts.length)
    const decided: Decided = {
      job,
      at,
      began,
      born: 300 + at * 10,
      version: type === 'service' ? at % 4 : 0,
      count: isTemplate ? 0 : type === 'system' ? hosts.length : job.count,
      isFinished: type === 'batch' && !isTemplate && at % 2 === 0,
      fails: id === failing,
      evaluation: uuid(random),
      deployment: uuid(random),
    }
    evaluations.push(demoEvaluation(decided))
    for (let index = 0; index < decided.count; index += 1)
      allocations.push(demoAllocation(decided, index, hosts[(first + index) % hosts.length], random))
    if (type === 'service') deployments.push(...demoDeployments(job, decided.version, decided, random))
    return demoRecord(decided)
  })
  return { jobs: records, deployments, allocations, evaluations }
}

const demoEvaluation = ({ job: { id, namespace, type, group }, at, began, born, evaluation }: Decided) => ({
  CreateTime: (began + at * minute) * 1_000_000,
  ModifyTime: (began + at * minute) * 1_000_000 + second,
  CreateIndex: born,
  ModifyIndex: born + 3,
  JobModifyIndex: born,
  ID: evaluation,
  Namespace: namespace,
  JobID: id,
  Type: type,
  Priority: priority[type],
  Status: 'complete',
  QueuedAllocations: { [group]: 0 },
})

function demoAllocation(
  { job, at, began, born, version, isFinished, fails, evaluation, deployment }: Decided,
  index: number,
  host: DemoNode | undefined,
  random: Random,
) {
  const { id, namespace, type, group } = job
  const hasFailed = fails && index > 0
  return {
    Namespace: namespace,
    JobID: id,
    JobType: type,
    JobVersion: version,
    CreateIndex: born + 3,
    ModifyIndex: born + 5,
    JobCreateIndex: born,
    ID: uuid(random),
    EvalID: evaluation,
    Name: `${id}.${group}[${index}]`,
    NodeID: host?.ID ?? '',
    NodeName: host?.Name ?? '',
    TaskGroup: group,
    AllocatedResources: {
      Tasks: { [group]: { Cpu: { CpuShares: job.cpu }, Memory: { MemoryMB: job.memory } } },
      Shared: { DiskMB: 300 },
    },
    ClientStatus: hasFailed ? 'failed' : isFinished ? 'complete' : 'running',
    TaskStates: {
      [group]: {
        State: isFinished || hasFailed ? 'dead' : 'running',
        Failed: hasFailed,
        StartedAt: after(began)(at * 60),
        Events: demoEvents((began + at * minute) * 1_000_000, isFinished, hasFailed),
      },
    },
    CreateTime: (began + at * minute) * 1_000_000,
    ...(type === 'service' ? { DeploymentID: deployment, DeploymentStatus: { Healthy: !hasFailed } } : {}),
  }
}

/** What a client reports of a task, in nanoseconds from a time. */
const demoEvents = (time: number, isFinished: boolean, hasFailed: boolean) =>
  [
    ['Received', 'Task received by client'],
    ['Started', 'Task started by client'],
    ...(isFinished || hasFailed ? [['Terminated', `Exit Code: ${hasFailed ? 1 : 0}`]] : []),
  ].map(([Type, DisplayMessage], at) => ({ Type, DisplayMessage, Time: time + at * 2 * second }))

function demoRecord({ job, at, began, born, version, count, isFinished, fails }: Decided) {
  const { id, namespace, type, group } = job
  const failed = fails ? count - 1 : 0
  const counts = {
    Queued: 0,
    Starting: 0,
    Running: isFinished ? 0 : count - failed,
    Complete: isFinished ? count : 0,
    Failed: failed,
  }
  return {
    CreateIndex: born,
    JobModifyIndex: born,
    ModifyIndex: born + 6,
    ID: id,
    Name: id,
    Namespace: namespace,
    Type: type,
    Priority: priority[type],
    NodePool: job.pool,
    Datacenters: job.pool === 'gpu' ? ['dc1', 'dc2'] : ['*'],
    Meta: { team: job.team, tier: type === 'service' && at % 3 === 0 ? 'critical' : 'normal' },
    Constraints: [{ LTarget: '${attr.kernel.name}', RTarget: 'linux', Operand: '=' }],
    TaskGroups: [
      {
        Name: group,
        Count: job.count,
        Tasks: [
          {
            Name: group,
            Driver: at % 5 === 4 ? 'exec' : 'docker',
            Config: { image: `registry.example/${namespace}/${id}:v${version + 1}` },
            Resources: { CPU: job.cpu, MemoryMB: job.memory },
          },
        ],
      },
    ],
    ...(type === 'service' ? { Update: { MaxParallel: 1, AutoRevert: at % 2 === 0 } } : {}),
    ...(id === 'daily-report' ? { Periodic: { Spec: '0 3 * * *', TimeZone: 'UTC' } } : {}),
    ...(id === 'export-orders' ? { ParameterizedJob: { Payload: 'optional', MetaRequired: ['shop'] } } : {}),
    Version: version,
    Stable: type === 'service' && !fails,
    SubmitTime: (began + at * minute) * 1_000_000,
    JobSummary: { CreateIndex: born, ModifyIndex: born + 5, Summary: { [group]: counts } },
  }
}

/** The job whose last version does not become healthy. */
const failing = 'pricing'

const priority = { service: 50, batch: 30, system: 80 } as const

/** The deployment of the current version and, for some jobs, that of the previous one. */
function demoDeployments(
  job: DemoJob,
  version: number,
  { deployment, born }: { readonly deployment: string; readonly born: number },
  random: Random,
) {
  const state = {
    DesiredTotal: job.count,
    PlacedAllocs: job.count,
    ProgressDeadline: 600 * second,
  }
  const common = {
    JobID: job.id,
    Namespace: job.namespace,
    JobCreateIndex: born,
    JobModifyIndex: born,
    JobSpecModifyIndex: born,
  }
  const older =
    version < 2
      ? []
      : [
          {
            ...common,
            CreateIndex: born + 1,
            ModifyIndex: born + 2,
            ID: uuid(random),
            JobVersion: version - 1,
            Status: 'cancelled',
            StatusDescription: 'Cancelled due to newer version of job',
            TaskGroups: { [job.group]: { ...state, HealthyAllocs: Math.floor(job.count / 2) } },
          },
        ]
  return [
    ...older,
    {
      ...common,
      CreateIndex: born + 2,
      ModifyIndex: born + 6,
      ID: deployment,
      JobVersion: version,
      ...(job.id === failing
        ? { Status: 'failed', StatusDescription: 'Failed due to progress deadline' }
        : { Status: 'successful', StatusDescription: 'Deployment completed successfully' }),
      TaskGroups: {
        [job.group]:
          job.id === failing
            ? { ...state, HealthyAllocs: 1, UnhealthyAllocs: job.count - 1 }
            : { ...state, HealthyAllocs: job.count },
      },
    },
  ]
}
