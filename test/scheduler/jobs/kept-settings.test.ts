import { describe, expect, it } from 'vitest'
import { JobSpec } from '../../../src/scheduler/index.ts'
import { parseJob } from '../../../src/scheduler/parse/index.ts'
import { given } from '../harness.ts'

const text = `
job "web" {
  node_pool = ""
  group "app" {
    consul { namespace = "team" }
    service {
      name = "web"
      port = "http"
      connect { sidecar_service {} }
    }
    task "main" {
      identity {
        name        = "aws"
        aud         = ["sts"]
        change_mode = "restart"
        ttl         = "1h"
      }
      vault { policies = ["read"] }
    }
  }
}`

describe('settings for other programs', () => {
  it('are kept, returned as they are, and warned about', async () => {
    const { get, send } = await given()
    const read = parseJob(text)
    if (!read.ok) throw new Error(read.refusal.message)
    const written = await send('PUT', '/v1/jobs', { Job: JobSpec.parse(read.value) })
    const { Warnings } = written.json as { Warnings: string }
    for (const what of ['Consul', 'task "main": Identities', 'task "main": Vault', 'service "web": Connect'])
      expect(Warnings).toContain(`${what} has no effect`)
    expect((await get('/v1/job/web')).json).toMatchObject({
      NodePool: 'default',
      TaskGroups: [
        {
          Consul: { Namespace: 'team' },
          Services: [{ Connect: { SidecarService: {} } }],
          Tasks: [
            {
              Identities: [{ Name: 'aws', Aud: ['sts'], ChangeMode: 'restart', TTL: '1h' }],
              Vault: { Policies: ['read'] },
            },
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
