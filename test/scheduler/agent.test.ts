import { describe, expect, it } from 'vitest'
import { version } from '../../src/index.ts'
import { given } from './harness.ts'

describe('an agent', () => {
  it('reports its identity, under every product word', async () => {
    const { get } = await given({}, { words: ['Acme'], region: 'eu', server: { name: 's1' } })
    const self = { version, leader: 'true', server: 'true' }
    expect((await get('/v1/agent/self')).json).toMatchObject({
      config: { Region: 'eu', NodeName: 's1', Version: { Version: version }, ACL: { Enabled: false } },
      member: { Name: 's1.eu', Status: 'alive' },
      stats: { scheduler: self, acme: self },
    })
  })

  it('answers callers that may read agents', async () => {
    const { get } = await given(
      {
        policies: [{ Name: 'a', Rules: 'agent { policy = "read" }' }],
        tokens: [{ SecretID: 'a', Type: 'client', Policies: ['a'] }],
      },
      { acl: true },
    )
    expect((await get('/v1/agent/self')).status).toBe(403)
    expect((await get('/v1/agent/self', { headers: { 'X-Scheduler-Token': 'a' } })).status).toBe(200)
  })
})
