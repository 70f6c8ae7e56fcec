import { describe, expect, it } from 'vitest'
import { JobSpec } from '../../../src/scheduler/index.ts'
import { parseJob } from '../../../src/scheduler/parse/index.ts'
import { given } from '../harness.ts'

const text = `
job "web" {
  node_pool = ""
  vault { policies = ["job"] }
  ui {
    description = "A **web** shop"
    link {
      label = "Runbook"
      url   = "https://example.com/runbook"
    }
  }
  group "app" {
    consul { namespace = "team" }
    max_run_duration             = "1h"
    prevent_reschedule_on_lost   = true
    stop_after_client_disconnect = "1m"
    service {
      name = "web"
      port = "http"
      connect {
        sidecar_service {
          proxy {
            upstreams {
              destination_name = "counters"
              local_bind_port  = 8080
            }
            expose {
              path {
                path          = "/health"
                listener_port = "health"
              }
            }
          }
        }
      }
      check_restart { grace = "5s" }
      weights { passing = 3 }
      canary_meta { kind = "canary" }
    }
    task "main" {
      identity {
        name        = "aws"
        aud         = ["sts"]
        change_mode = "restart"
        ttl         = "1h"
      }
      vault { policies = ["read"] }
      action "flush" { command = "/bin/flush" }
      scaling "cpu" {
        max = 500
        policy { cooldown = "1m" }
      }
      schedule {
        cron { start = "0 8 * * *" }
      }
      resources {
        device "nvidia/gpu" {
          affinity {
            attribute = "\${device.attr.memory}"
            value     = "8 GiB"
            weight    = 75
          }
        }
        numa { affinity = "prefer" }
      }
    }
    task "beside" {}
  }
}`

describe('a job for several regions', () => {
  it('can be read, and is refused when it is checked', async () => {
    const { send } = await given()
    const read = parseJob(`job "web" {
      multiregion {
        strategy { max_parallel = 1 }
        region "west" {
          count = 2
          meta { side = "left" }
        }
      }
      group "app" { task "main" {} }
    }`)
    expect(read).toMatchObject({
      value: {
        Multiregion: {
          Strategy: { MaxParallel: 1 },
          Regions: [{ Name: 'west', Count: 2, Meta: { side: 'left' } }],
        },
      },
    })
    const Job = read.ok && JobSpec.parse(read.value)
    expect((await send('PUT', '/v1/jobs', { Job })).text).toContain('Multiregion jobs are not supported')
    expect((await send('PUT', '/v1/validate/job', { Job })).text).toContain(
      'Multiregion jobs are not supported',
    )
  })
})

describe('settings for other programs', () => {
  it('are kept, returned as they are, and warned about', async () => {
    const { get, send } = await given()
    const read = parseJob(text)
    if (!read.ok) throw new Error(read.refusal.message)
    const written = await send('PUT', '/v1/jobs', { Job: JobSpec.parse(read.value) })
    const { Warnings } = written.json as { Warnings: string }
    for (const what of [
      'Consul',
      'MaxRunDuration',
      'PreventRescheduleOnLost',
      'task "main": Identities',
      'task "main": Vault',
      'task "main": ScalingPolicies',
      'task "beside": Vault',
      'service "web": Connect',
    ])
      expect(Warnings).toContain(`${what} has no effect`)
    expect((await get('/v1/job/web')).json).toMatchObject({
      NodePool: 'default',
      UI: {
        Description: 'A **web** shop',
        Links: [{ Label: 'Runbook', URL: 'https://example.com/runbook' }],
      },
      TaskGroups: [
        {
          Consul: { Namespace: 'team' },
          MaxRunDuration: 3600e9,
          PreventRescheduleOnLost: true,
          StopAfterClientDisconnect: 60e9,
          Services: [
            {
              Connect: {
                SidecarService: {
                  Proxy: {
                    Upstreams: [{ DestinationName: 'counters', LocalBindPort: 8080 }],
                    Expose: { Paths: [{ Path: '/health', ListenerPort: 'health' }] },
                  },
                },
              },
              CheckRestart: { Grace: 5e9 },
              Weights: { Passing: 3 },
              CanaryMeta: { kind: 'canary' },
            },
          ],
          Tasks: [
            {
              Identities: [{ Name: 'aws', Audience: ['sts'], ChangeMode: 'restart', TTL: 3600e9 }],
              Vault: { Policies: ['read'] },
              Actions: [{ Name: 'flush', Command: '/bin/flush' }],
              ScalingPolicies: [{ Type: 'vertical_cpu', Max: 500, Policy: { cooldown: '1m' } }],
              Schedule: { Cron: { Start: '0 8 * * *' } },
              Resources: {
                Devices: [
                  {
                    Name: 'nvidia/gpu',
                    Affinities: [{ LTarget: '${device.attr.memory}', RTarget: '8 GiB', Weight: 75 }],
                  },
                ],
                NUMA: { Affinity: 'prefer' },
              },
            },
            { Name: 'beside', Vault: { Policies: ['job'] } },
          ],
        },
      ],
    })
    const sent = {
      ID: 'csi',
      NodePool: '',
      TaskGroups: [{ Name: 'g', Volumes: { v: { Type: 'csi', Source: 's' } }, Tasks: [{ Name: 't' }] }],
    }
    expect((await send('PUT', '/v1/jobs', { Job: sent })).text).toContain('volume \\"v\\" is of type')
    expect((await get('/v1/job/csi')).json).toMatchObject({
      NodePool: 'default',
      TaskGroups: [{ Volumes: { v: { Source: 's' } } }],
    })
  })
})
