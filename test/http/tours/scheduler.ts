import { given } from '../../scheduler/harness.ts'
import { type AskingAsDocumented, askingAsDocumented } from '../documented.ts'
import { type Asked, tour } from './tour.ts'

const as = (token: string) => ({ 'X-Scheduler-Token': token })

async function versionTags() {
  const { scheduler } = await given()
  await tour(askingAsDocumented(scheduler), [
    ['PUT /v1/jobs', 200, { Job: { ID: 'web', TaskGroups: [{ Name: 'app', Tasks: [{ Name: 'server' }] }] } }],
    ['PUT /v1/job/web/versions/golden/tag', 200, { Version: 0, Description: 'works' }],
    ['DELETE /v1/job/web/versions/golden/tag', 200],
    ['PUT /v1/namespaces', 200, { Name: 'team', Description: 'a team' }],
    ['PUT /v1/node/pool/gpu', 200, { Name: 'gpu', Description: 'with graphics cards' }],
  ])
  await scheduler.close()
}

const room = { Cpu: { CpuShares: 4000 }, Memory: { MemoryMB: 8192 } }

/** A job with a canary, in two versions, whose allocations report nothing of their own accord. */
async function deployments() {
  const { scheduler } = await given({ nodes: [{ ID: 'n1', NodeResources: room }] }, { place: true })
  const ask = askingAsDocumented(scheduler)
  const job = (task: string) => ({
    ID: 'web',
    TaskGroups: [{ Name: 'app', Count: 1, Update: { Canary: 1 }, Tasks: [{ Name: task }] }],
  })
  const registered = async (task: string) => {
    await tour(ask, [['PUT /v1/jobs', 200, { Job: job(task) }]])
    await scheduler.settled()
    const [deployment] = await tour(ask, [['GET /v1/deployments?reverse=true', 200]])
    return deployment.ID as string
  }
  const reported = async (ID: string) => {
    const allocations = await tour(ask, [[`GET /v1/deployment/allocations/${ID}`, 200]])
    const [{ ID: allocation }] = allocations
    await tour(ask, [
      [
        `PUT /v1/deployment/allocation-health/${ID}`,
        200,
        { DeploymentID: ID, HealthyAllocationIDs: [allocation] },
      ],
    ])
    await scheduler.settled()
    return allocation as string
  }
  await reported(await registered('first'))
  const second = await registered('second')
  const allocation = await reported(second)
  await tour(ask, [
    [`GET /v1/deployment/${second}`, 200],
    [`GET /v1/allocation/${allocation}`, 200],
    [`PUT /v1/deployment/pause/${second}`, 200, { DeploymentID: second, Pause: true }],
    [`PUT /v1/deployment/pause/${second}`, 200, { DeploymentID: second, Pause: false }],
    [`PUT /v1/deployment/promote/${second}`, 200, { DeploymentID: second, All: true }],
  ])
  const third = await registered('third')
  await tour(ask, [
    [`PUT /v1/deployment/fail/${third}`, 200, { DeploymentID: third }],
    [`PUT /v1/allocation/${allocation}/stop`, 200],
  ])
  await scheduler.close()
}

const ended = '538cc03a-a056-4da5-990e-89a11d2b4a48'
const blocked = '70638f62-5c19-193e-30d6-f9d6e689ab8e'

async function recordsThatWereLoaded() {
  const { scheduler } = await given({
    jobs: [{ ID: 'web', Status: 'running' }],
    evaluations: [{ ID: ended, JobID: 'web', Status: 'complete' }],
    deployments: [{ ID: blocked, JobID: 'web', Status: 'blocked', IsMultiregion: true }],
  })
  await tour(askingAsDocumented(scheduler), [
    ['DELETE /v1/evaluations', 200, { EvalIDs: [ended] }],
    [`PUT /v1/deployment/unblock/${blocked}`, 200, { DeploymentID: blocked }],
  ])
  await scheduler.close()
}

async function scalingPolicies() {
  const { scheduler } = await given()
  const group = {
    Name: 'app',
    Count: 3,
    Scaling: { Min: 1, Max: 5, Policy: { cooldown: '1m' }, Enabled: true },
  }
  const ask = askingAsDocumented(scheduler)
  const [policy] = await tour(ask, [
    ['PUT /v1/jobs', 200, { Job: { ID: 'web', TaskGroups: [{ ...group, Tasks: [{ Name: 'server' }] }] } }],
    ['GET /v1/scaling/policies', 200],
  ])
  await tour(ask, [[`GET /v1/scaling/policy/${policy.ID}`, 200]])
  await scheduler.close()
}

async function accessControl() {
  const { scheduler } = await given({}, { acl: true })
  const { SecretID: secret } = await tour(askingAsDocumented(scheduler), [
    ['POST /v1/acl/bootstrap', 200, {}],
  ])
  const ask = askingAsDocumented(scheduler, as(secret))
  const role = { Name: 'operators', Policies: [{ Name: 'readers' }] }
  const { ID } = await tour(ask, [
    [
      'POST /v1/acl/policy/readers',
      200,
      { Name: 'readers', Rules: 'namespace "default" { policy = "read" }' },
    ],
    ['GET /v1/acl/policies', 200],
    ['GET /v1/acl/policy/readers', 200],
    ['POST /v1/acl/role', 200, role],
  ])
  const { AccessorID } = await tour(ask, [
    ['GET /v1/acl/roles', 200],
    [`GET /v1/acl/role/${ID}`, 200],
    ['GET /v1/acl/role/name/operators', 200],
    [`POST /v1/acl/role/${ID}`, 200, { ID, ...role, Description: 'on call' }],
    ['POST /v1/acl/token', 200, { Name: 'ada', Type: 'client', Policies: ['readers'] }],
  ])
  await tour(ask, [
    ['GET /v1/acl/tokens', 200],
    ['GET /v1/acl/token/self', 200],
    [`GET /v1/acl/token/${AccessorID}`, 200],
    [
      `POST /v1/acl/token/${AccessorID}`,
      200,
      { AccessorID, Name: 'ada', Type: 'client', Policies: ['readers'], Roles: [{ ID }] },
    ],
    [`DELETE /v1/acl/token/${AccessorID}`, 200],
    [`DELETE /v1/acl/role/${ID}`, 200],
    ['DELETE /v1/acl/policy/readers', 200],
  ])
  await scheduler.close()
}

const node = '4d2ba53b-2e2c-3d3b-4a9e-5a9c5d6e7f80'
const secret = 'a-secret-of-the-runner'

/** A node with a runner, which answers what its allocation is asked. */
async function runners() {
  const { scheduler } = await given({}, { place: true })
  const ask = askingAsDocumented(scheduler)
  const runner = askingAsDocumented(scheduler, as(secret))
  const of = `/v1/runner/node/${node}`
  const Node = {
    ID: node,
    Name: 'one',
    Drivers: { raw_exec: { Detected: true, Healthy: true } },
    NodeResources: { ...room, Disk: { DiskMB: 10_000 } },
  }
  const task = { Name: 'server', Driver: 'raw_exec', Config: { command: 'sleep' } }
  await tour(ask, [
    ['PUT /v1/runner/node', 200, { Node, SecretID: secret }],
    ['PUT /v1/jobs', 200, { Job: { ID: 'web', TaskGroups: [{ Name: 'app', Tasks: [task] }] } }],
  ])
  await scheduler.settled()
  const [{ ID: allocation }] = await tour(runner, [
    [`PUT ${of}/heartbeat`, 200],
    [`GET ${of}/allocations`, 200],
  ])
  await tour(runner, [
    [`PUT ${of}/allocations`, 200, { Allocations: [{ ID: allocation, ClientStatus: 'running' }] }],
  ])
  /** A question about the allocation, which waits for what its runner answers. */
  const answered = async (question: Asked, answer: object, asking: AskingAsDocumented = ask) => {
    const asked = tour(asking, [question])
    const [call] = await tour(runner, [[`GET ${of}/calls`, 200]])
    await tour(runner, [[`PUT ${of}/call/${call.ID}`, 200, answer]])
    await asked
  }
  const file = {
    Name: 'app.conf',
    IsDir: false,
    Size: 5,
    FileMode: '-rw-r--r--',
    ModTime: '2026-01-01T00:00:00Z',
  }
  const client = '/v1/client'
  await answered([`GET ${client}/fs/ls/${allocation}?path=/`, 200], { Files: [file] })
  await answered([`GET ${client}/fs/stat/${allocation}?path=/app.conf`, 200], { Files: [file] })
  await answered([`GET ${client}/fs/cat/${allocation}?path=/app.conf`, 200], {
    Data: btoa('a = 1'),
    IsLast: true,
  })
  for (const way of ['readat', 'stream'])
    await answered([`GET ${client}/fs/${way}/${allocation}?path=/app.conf`, 200], {
      Data: btoa('a = 1'),
      IsLast: true,
    })
  await answered([`GET ${client}/fs/logs/${allocation}?task=server&type=stdout`, 200], {
    Data: btoa('hello'),
    IsLast: true,
  })
  await answered([`GET ${client}/allocation/${allocation}/stats`, 200], {
    Usage: { server: { UserPercent: 3, SystemPercent: 1, MHz: 96, RSS: 41_943_040, Timestamp: 1.767e18 } },
  })
  await answered([`PUT ${client}/allocation/${allocation}/restart`, 200, { TaskName: 'server' }], {})
  await answered(
    [`PUT ${client}/allocation/${allocation}/signal`, 200, { Task: 'server', Signal: 'SIGHUP' }],
    {},
  )
  await tour(runner, [[`PUT ${of}/leave`, 200]])
  await scheduler.close()
}

/** The endpoints that need what others have answered, by what they are about. */
export const schedulerTours: Readonly<Record<string, () => Promise<void>>> = {
  'tags of versions': versionTags,
  'deployments and their allocations': deployments,
  'records that were loaded': recordsThatWereLoaded,
  'scaling policies': scalingPolicies,
  'access control': accessControl,
  'runners, and what they are asked': runners,
}
