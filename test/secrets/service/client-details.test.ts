import { describe, expect, it } from 'vitest'
import { client } from './client.ts'

describe('what clients ask of the system', () => {
  it('describes mounts with the version of what runs there', async () => {
    const { ask } = await client()
    const { body } = await ask('GET', '/v1/sys/mounts')
    expect(body.data['secret/']).toMatchObject({
      plugin_version: '',
      running_plugin_version: expect.stringMatching(/^v\d.*builtin/),
      running_sha256: '',
      deprecation_status: 'supported',
    })
  })
  it('mounts `generic` as the first version of key/value secrets', async () => {
    const { ask } = await client()
    expect((await ask('POST', '/v1/sys/mounts/old', { type: 'generic' })).status).toBe(204)
    expect((await ask('GET', '/v1/sys/mounts/old')).body.data).toMatchObject({
      type: 'kv',
      options: { version: '1' },
    })
  })
  it.each([
    ['GET', 'sys/rekey/backup', 400, { errors: ['no backed-up keys found'] }],
    ['DELETE', 'sys/rekey/backup', 204, undefined],
    ['PUT', 'sys/step-down', 204, undefined],
    ['GET', 'sys/internal/counters/activity', 204, undefined],
    ['GET', 'sys/internal/counters/requests', 200, { data: { counters: [] } }],
    ['GET', 'sys/internal/counters/tokens', 200, { data: { counters: { service_tokens: { total: 1 } } } }],
    ['GET', 'sys/internal/counters/entities', 200, { data: { counters: { entities: { total: 0 } } } }],
    ['GET', 'sys/host-info', 200, { data: { timestamp: '2026-01-01T00:00:00Z', memory: null } }],
    [
      'GET',
      'sys/metrics',
      200,
      { Gauges: [{ Name: 'secrets.core.unsealed', Value: 1 }, {}, {}], Counters: [] },
    ],
    ['GET', 'sys/metrics?format=prometheus', 200, expect.stringMatching(/^secrets_token_count 1$/m)],
  ])('answers %s %s', async (method, path, status, body) => {
    const { ask } = await client()
    const answer = await ask(method, `/v1/${path}`)
    expect(answer.status).toBe(status)
    if (typeof body === 'object' && !('asymmetricMatch' in body)) expect(answer.body).toMatchObject(body)
    else expect(answer.body).toEqual(body)
  })
  it.each(['HELP', 'FOO'])('refuses the verb %s as it refuses everything', async (verb) => {
    const { ask } = await client()
    const { status, body, headers } = await ask(verb, '/v1/secret/data/x')
    expect([status, body, headers.get('cache-control')]).toEqual([405, { errors: [] }, 'no-store'])
  })
  it('keeps true and false in notes as 1 and 0', async () => {
    const { ask } = await client()
    await ask('POST', '/v1/secret/metadata/app', { custom_metadata: { on: true, off: false, n: 5 } })
    const read = async () => (await ask('GET', '/v1/secret/metadata/app')).body.data.custom_metadata
    expect(await read()).toEqual({ on: '1', off: '0', n: '5' })
    const merge = { 'content-type': 'application/merge-patch+json' }
    await ask('PATCH', '/v1/secret/metadata/app', { custom_metadata: { on: false, n: null } }, merge)
    expect(await read()).toEqual({ on: '0', off: '0' })
  })
  it.each([
    ['9999999h', /too long: the maximum is 292 years/],
    ['99999999999999', /too long/],
    ['-5', /cannot be negative/],
    ['1h30', /too long|expected a duration/],
    ['soon', /expected a duration such as 60 or "5m"/],
  ])('says what is wrong with a wrap TTL of %s', async (ttl, message) => {
    const { ask } = await client()
    const answer = await ask('POST', '/v1/sys/wrapping/wrap', { a: 1 }, { 'X-Secrets-Wrap-TTL': ttl })
    expect([answer.status, answer.body.errors[0]]).toEqual([400, expect.stringMatching(message)])
  })
  it('names an unsupported provider before it says that the method is not configured', async () => {
    const { ask } = await client()
    const login = { password: 'x', provider: 'other' }
    expect((await ask('POST', '/v1/auth/idp/login/ada', login)).body.errors).toEqual([
      'provider OTHER is not among the supported ones [GOOGLE IDP]',
    ])
  })
  it('names the field that bypasses factors in its warning', async () => {
    const { ask } = await client()
    const answer = await ask('POST', '/v1/auth/idp/config', { org_name: 'acme', bypass_idp_mfa: true })
    expect(answer.body.warnings).toEqual([expect.stringMatching(/^bypass_idp_mfa is set/)])
  })
})
