import { describe, expect, it } from 'vitest'
import { JobSpec } from '../../../src/scheduler/index.ts'
import { parseJob } from '../../../src/scheduler/parse/index.ts'
import { given } from '../harness.ts'

const text = `
# A web site
job "site" {
  datacenters = ["dc1", "dc2"]
  type        = "service"
  node_pool   = "gpu"
  priority    = 70
  meta { owner = "web" level = 3 }

  constraint { attribute = "\${attr.kernel.name}" value = "linux" }
  constraint { distinct_hosts = true }
  affinity { attribute = "\${node.class}" regexp = "^big" weight = -20 }
  spread {
    attribute = "\${node.datacenter}"
    target "dc1" { percent = 70 }
    target "dc2" { percent = 30 }
  }
  update { max_parallel = 2 min_healthy_time = "10s" healthy_deadline = "3m" progress_deadline = "10m" canary = 1 }
  reschedule { attempts = 3 interval = "1h" delay = "30s" delay_function = "constant" unlimited = false }

  group "front" {
    count = 3
    network {
      mode = "bridge"
      port "http" { to = 8080 }
      port "admin" { static = 9000 }
    }
    service {
      name = "front"
      port = "http"
      tags = ["public"]
      check { type = "http" path = "/health" interval = "10s" timeout = "2s" }
    }
    volume "data" { type = "host" source = "certs" read_only = true }
    restart { attempts = 2 interval = "30m" delay = "15s" mode = "fail" }
    ephemeral_disk { size = 500 sticky = true }

    task "nginx" {
      driver = "docker"
      config {
        image = "nginx:1.27"
        ports = ["http"]
        auth { username = "u" }
      }
      env { MODE = "prod" WORKERS = 4 DEBUG = false }
      template {
        data = <<-END
          hello
            world
        END
        destination = "local/hello"
        splay = "5s"
      }
      artifact { source = "https://example.com/a.tgz" destination = "local" options { checksum = "md5:x" } }
      volume_mount { volume = "data" destination = "/certs" read_only = true }
      resources { cpu = 500 memory = 256 device "nvidia/gpu" { count = 2 } }
      logs { max_files = 3 max_file_size = 5 }
      kill_timeout = "20s"
      lifecycle { hook = "prestart" sidecar = true }
    }
  }
  task "alone" { driver = "exec" config { command = "/bin/true" } }
}
`

const parsed = (source: string) => {
  const read = parseJob(source)
  if (!read.ok) throw new Error(read.refusal.message)
  return read.value
}

describe('a job file', () => {
  it('says what a job is, under the names of its JSON', () => {
    expect(parsed(text)).toMatchObject({
      ID: 'site',
      Name: 'site',
      Datacenters: ['dc1', 'dc2'],
      NodePool: 'gpu',
      Priority: 70,
      // Meta values are always strings.
      Meta: { owner: 'web', level: '3' },
      Constraints: [
        { LTarget: '${attr.kernel.name}', RTarget: 'linux' },
        { Operand: 'distinct_hosts', RTarget: 'true' },
      ],
      Affinities: [{ LTarget: '${node.class}', Operand: 'regexp', RTarget: '^big', Weight: -20 }],
      Spreads: [
        {
          SpreadTarget: [
            { Value: 'dc1', Percent: 70 },
            { Value: 'dc2', Percent: 30 },
          ],
        },
      ],
      Update: { MaxParallel: 2, MinHealthyTime: 10e9, HealthyDeadline: 180e9, Canary: 1 },
    })
  })
  it('says what its groups and tasks are', () => {
    const { TaskGroups } = parsed(text) as unknown as { TaskGroups: object[] }
    expect(TaskGroups).toHaveLength(2)
    expect(TaskGroups[0]).toMatchObject({
      Name: 'front',
      Count: 3,
      Networks: [
        {
          Mode: 'bridge',
          DynamicPorts: [{ Label: 'http', To: 8080 }],
          ReservedPorts: [{ Label: 'admin', Value: 9000 }],
        },
      ],
      Services: [
        { Name: 'front', PortLabel: 'http', Checks: [{ Type: 'http', Interval: 10e9, Timeout: 2e9 }] },
      ],
      Volumes: { data: { Name: 'data', Type: 'host', Source: 'certs', ReadOnly: true } },
      RestartPolicy: { Attempts: 2, Interval: 1800e9, Delay: 15e9, Mode: 'fail' },
      EphemeralDisk: { SizeMB: 500, Sticky: true },
      // What holds for all groups is said in each.
      ReschedulePolicy: { Attempts: 3, Interval: 3600e9, Delay: 30e9, DelayFunction: 'constant' },
      Tasks: [
        {
          Name: 'nginx',
          Driver: 'docker',
          Config: { image: 'nginx:1.27', ports: ['http'], auth: { username: 'u' } },
          Env: { MODE: 'prod', WORKERS: '4', DEBUG: 'false' },
          Templates: [{ EmbeddedTmpl: 'hello\n  world\n', DestPath: 'local/hello', Splay: 5e9 }],
          Artifacts: [{ GetterSource: 'https://example.com/a.tgz', GetterOptions: { checksum: 'md5:x' } }],
          VolumeMounts: [{ Volume: 'data', Destination: '/certs', ReadOnly: true }],
          Resources: { CPU: 500, MemoryMB: 256, Devices: [{ Name: 'nvidia/gpu', Count: 2 }] },
          LogConfig: { MaxFiles: 3, MaxFileSizeMB: 5 },
          KillTimeout: 20e9,
          Lifecycle: { Hook: 'prestart', Sidecar: true },
        },
      ],
    })
    expect(TaskGroups[1]).toMatchObject({ Name: 'alone', Tasks: [{ Name: 'alone', Driver: 'exec' }] })
  })
  it('is a job that can be registered', async () => {
    const { send } = await given({ pools: [{ Name: 'gpu' }] })
    const Job = JobSpec.parse(parsed(text))
    expect((await send('PUT', '/v1/jobs', { Job })).status).toBe(200)
  })
  it.each([
    [
      'a schedule',
      'periodic { cron = "*/5 * * * *" prohibit_overlap = true }',
      { Periodic: { Spec: '*/5 * * * *', ProhibitOverlap: true } },
    ],
    [
      'addresses and fixed ports of a network, and what may scale it',
      `group "g" {
         network {
           ip = "10.0.0.1"
           cidr = "10.0.0.0/8"
           reserved_ports "http" { static = 80 }
           port "rpc" { static = 0 }
         }
         scaling { max = 3 type = "horizontal" }
         task "t" {
           scaling "CPU" { max = 900 type = "vertical_cpu" }
           scaling "mem" { max = 900 }
         }
       }`,
      {
        TaskGroups: [
          {
            Networks: [
              {
                IP: '10.0.0.1',
                CIDR: '10.0.0.0/8',
                ReservedPorts: [{ Label: 'http', Value: 80 }],
                DynamicPorts: [{ Label: 'rpc' }],
              },
            ],
            Scaling: { Max: 3, Type: 'horizontal' },
            Tasks: [{ ScalingPolicies: [{ Type: 'vertical_cpu', Max: 900 }, { Type: 'vertical_mem' }] }],
          },
        ],
      },
    ],
    [
      'several schedules',
      'periodic { crons = ["@daily", "@hourly"] }',
      { Periodic: { Specs: ['@daily', '@hourly'] } },
    ],
    [
      'several schedules, the older way',
      'periodic { cron = ["@daily"] }',
      { Periodic: { Specs: ['@daily'] } },
    ],
    [
      'parameters',
      'parameterized { payload = "required" meta_required = ["id"] }',
      { ParameterizedJob: { Payload: 'required', MetaRequired: ['id'] } },
    ],
    ['another name', 'name = "Site" namespace = "prod"', { Name: 'Site', Namespace: 'prod' }],
    ['meta as a map', 'meta = { a = "b" }', { Meta: { a: 'b' } }],
    ['meta twice', 'meta { a = "1" } meta { b = "2" }', { Meta: { a: '1', b: '2' } }],
  ])('may hold %s', (_what, inside, expected) => {
    expect(parsed(`job "j" { ${inside} }`)).toMatchObject(expected)
  })
  it('may give numbers and booleans as texts, as values of variables often are', () => {
    const quoted = text.replace(/(?<= = )(?:-?\d+|true|false)\b/g, '"$&"')
    expect(quoted).toContain('static = "9000"')
    expect(parseJob(quoted)).toEqual(parseJob(text))
    expect(parseJob('job "a" { group "g" { count = "many" } }')).toMatchObject({
      value: { TaskGroups: [{ Count: 'many' }] },
    })
  })

  it('may be written in JSON', () => {
    const json = '{"job": {"web": {"type": "batch", "group": {"app": {"count": 2}}}}}'
    expect(parsed(json)).toMatchObject({ ID: 'web', Type: 'batch', TaskGroups: [{ Name: 'app', Count: 2 }] })
  })
  it('keeps names that mean something to JavaScript', () => {
    const read = parsed('job "__proto__" { meta { __proto__ = "x" } }')
    expect([read.ID, Object.entries(read['Meta'] as object)]).toEqual(['__proto__', [['__proto__', 'x']]])
  })
  it.each([
    ['', 'line 1, column 1: expected job "name" { … }'],
    ['job {}', 'line 1, column 1: "job" needs a name: job "…" { … }'],
    ['job "j" { group "g" { scaling "x" { max = 3 } } }', '"scaling" has 0 labels, not 1'],
    [
      'job "j" { task "t" {\n scaling "cpu" {}\n scaling "CPU" {}\n} }',
      'line 3, column 2: "scaling" is given twice with this name',
    ],
    [
      'job "j" { task "t" {\n scaling "cpu" { type = "vertical_mem" }\n} }',
      'line 2, column 2: the type of this "scaling" is vertical_cpu',
    ],
    ['{"job": {}}', 'a job file holds one job'],
    ['job "a" {} job "b" {}', 'line 1, column 12: a job file holds one job'],
    ['jop "a" {}', 'line 1, column 1: "jop" is not expected here; a job file is one job "name" { … }'],
    ['variable "x" {}\njob "a" {}', 'line 1, column 1: variable "x" has no value: give it one, or a default'],
    ['job "a" {\n  type = "${var.kind}"\n}', 'line 2, column 13: there is no var.kind'],
    [
      'job "a" {\n  type = local.kinds\n}\nlocals { kind = 1 }',
      'line 2, column 10: there is no local.kinds; did you mean local.kind?',
    ],
    ['locals {\n  a = local.b\n  b = local.a\n}\njob "j" { type = local.a }', 'needs itself'],
    ['job "a" { priority = uper("x") }', 'line 1, column 22: there is no function uper; did you mean upper?'],
    ['job "a" { priority = file("/etc/passwd") }', 'there is no function file'],
    ['job "a" { priority = range(0, 1e9) }', 'range makes lists of at most 10000 numbers'],
    ['job "a" { priority = 1 + "x" }', 'line 1, column 24: "+" does not take these values'],
    ['job "a" { type = "%{ if true }x" }', 'there is no %{ endif }'],
    [
      'job "a" {\n  group "g" {\n    cuont = 2\n  }\n}',
      'line 3, column 5: unknown name "cuont"; known are affinity',
    ],
    ['job "a" { update { stagger = 30 } }', '"stagger" is a duration in quotes, such as "30s"'],
    ['job "a" { update { stagger = "soon" } }', '"stagger" is a duration in quotes'],
    ['job "a" { update {} update {} }', 'line 1, column 21: "update" is given twice'],
    ['job "a" { priority { } }', '"priority" is not a block: write priority = …'],
    ['job "a" { meta = "x" }', '"meta" is a block or a map'],
    ['job "a" { group { } }', '"group" needs a name'],
    ['job "a" { group "x" ', 'line 1, column 21'],
    ['job "a" { count = max(1, 2) }', 'line 1, column 11: unknown name "count"'],
  ])('is refused with the place of what is wrong: %s', (source, message) => {
    const read = parseJob(source)
    expect(read.ok ? 'read' : read.refusal.message).toContain(message)
  })
})

describe('PUT /v1/jobs/parse', () => {
  const simple = 'job "web" { group "app" { task "server" { driver = "docker" } } }'
  it('answers with what the file says, or with every default', async () => {
    const { send } = await given()
    const plain = await send('POST', '/v1/jobs/parse', { JobHCL: simple })
    expect(plain.json).toEqual({
      ID: 'web',
      Name: 'web',
      TaskGroups: [{ Name: 'app', Tasks: [{ Name: 'server', Driver: 'docker' }] }],
    })
    const whole = await send('PUT', '/v1/jobs/parse', { JobHCL: simple, Canonicalize: true })
    expect(whole.json).toMatchObject({ Namespace: 'default', Priority: 50, TaskGroups: [{ Count: 1 }] })
    expect((await send('PUT', '/v1/jobs', { Job: whole.json })).status).toBe(200)
  })
  it.each([
    [undefined, 'Request body is empty'],
    [{}, 'Job spec is empty'],
    [{ JobHCL: 7 }, 'invalid job file: JobHCL'],
    [{ JobHCL: 'job "a" {' }, 'failed to parse job: line 1, column 10'],
    [{ JobHCL: simple, Variables: 'a = 1' }, 'variables: line 1, column 1: there is no variable "a"'],
    [
      { JobHCL: 'job "web" { priority = "high" }' },
      'failed to parse job: 1 error occurred:\n\t* job priority',
    ],
    [{ JobHCL: 'job "web" { group "a" { count = "two" } }' }, 'TaskGroups[0].Count'],
  ])('refuses %j', async (body, message) => {
    const { send } = await given()
    const refused = await send('POST', '/v1/jobs/parse', body)
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining(message)])
  })
  it('asks for parse-job or submit-job', async () => {
    const { send } = await given(
      {
        policies: ['parse-job', 'submit-job', 'list-jobs'].map((Name) => ({
          Name,
          Rules: `namespace "default" { capabilities = ["${Name}"] }`,
        })),
        tokens: ['parse-job', 'submit-job', 'list-jobs'].map((name) => ({
          SecretID: name,
          Type: 'client',
          Policies: [name],
        })),
      },
      { acl: true },
    )
    const asked = async (token: string) =>
      (await send('POST', '/v1/jobs/parse', { JobHCL: simple }, { headers: { 'X-Scheduler-Token': token } }))
        .status
    expect([await asked('parse-job'), await asked('submit-job'), await asked('list-jobs')]).toEqual([
      200, 200, 403,
    ])
  })
})
