import { expect, it } from 'vitest'
import type { AuditRecord } from '../../../../src/secrets/index.ts'
import { scriptedProvider } from '../../../../src/testing/index.ts'
import { asking, client } from '../client.ts'

const setup = async () => {
  const records: AuditRecord[] = []
  const made = await client({
    idpProvider: scriptedProvider({ users: { ada: { password: 'hunter2' } } }),
    onRequest: (record) => records.push(record),
  })
  return { ...made, records }
}

it('the audit log records caller, operation, deciding rule and result', async () => {
  const { ask, service, records } = await setup()
  await ask('PUT', '/v1/sys/policies/acl/app', {
    policy: 'path "secret/data/app/*" { capabilities = ["read"] }',
  })
  const { body } = await ask('POST', '/v1/auth/token/create', { policies: ['app'], display_name: 'web' })
  records.length = 0
  const web = asking(service, body.auth.client_token)
  await web('GET', '/v1/secret/data/app/x')
  await web('POST', '/v1/secret/data/app/x', { data: { password: 'topsecret' } })
  expect(records).toMatchObject([
    {
      method: 'GET',
      path: 'secret/data/app/x',
      operation: 'read',
      status: 404,
      decision: { allowed: true, rule: 'secret/data/app/*' },
    },
    {
      status: 403,
      caller: { accessor: body.auth.accessor, displayName: 'token-web', policies: ['app', 'default'] },
      decision: {
        allowed: false,
        reason: 'missing_capability',
        rule: 'secret/data/app/*',
        policies: ['app'],
      },
    },
  ])
})

it('the audit log has the decision on the parameters of a body', async () => {
  const { ask, service, records } = await setup()
  await ask('PUT', '/v1/sys/policies/acl/app', {
    policy:
      'path "secret/metadata/app" { capabilities = ["create", "update"] required_parameters = ["max_versions"] }',
  })
  const { body } = await ask('POST', '/v1/auth/token/create', { policies: ['app'] })
  records.length = 0
  const web = asking(service, body.auth.client_token)
  await web('POST', '/v1/secret/metadata/app', { max_versions: 3 })
  await web('POST', '/v1/secret/metadata/app', { cas_required: true })
  expect(records).toMatchObject([
    { status: 204, decision: { allowed: true, reason: 'granted' } },
    { status: 403, decision: { allowed: false, reason: 'parameter' } },
  ])
})

it('the audit log holds no secret', async () => {
  const { ask, service, records } = await setup()
  const anyone = asking(service, undefined)
  await ask('POST', '/v1/auth/idp/config', { org_name: 'acme', api_token: 'provider-token' })
  await ask('POST', '/v1/secret/data/x', { data: { password: 'topsecret' } })
  const { body } = await anyone('POST', '/v1/auth/idp/login/ada', { password: 'hunter2', nonce: 'n0nce' })
  await anyone('GET', '/v1/auth/idp/verify/n0nce')
  await asking(service, body.auth.client_token)('GET', '/v1/auth/token/lookup-self')
  for (const verb of ['lookup', 'renew', 'revoke', 'revoke-orphan'])
    for (const end of ['', '%0A']) await ask('POST', `/v1/auth/token/${verb}/${body.auth.client_token}${end}`)
  await asking(service, 's.wrong-token')('GET', '/v1/secret/data/x')
  const text = JSON.stringify(records)
  for (const secret of [
    'topsecret',
    'hunter2',
    'provider-token',
    'n0nce',
    's.wrong-token',
    body.auth.client_token,
  ])
    expect(text).not.toContain(secret)
  expect(records).toHaveLength(14)
  expect(records.at(-1)).toMatchObject({ status: 403, caller: null, decision: null })
})

it('the audit log records callers that request the verbs of a path', async () => {
  const { ask, service, records } = await setup()
  await ask('OPTIONS', '/v1/secret/data/x')
  await asking(service, 's.wrong-token')('OPTIONS', '/v1/secret/data/x')
  const asked = { method: 'OPTIONS', path: 'secret/data/x', operation: 'help', decision: null }
  expect(records).toMatchObject([
    { ...asked, status: 204, caller: { displayName: 'root' } },
    { ...asked, status: 403, caller: null },
  ])
})

it('a listener of the audit log that fails does not fail the request', async () => {
  const { ask, errors } = await client({
    onRequest: () => {
      throw new Error('disk full')
    },
  })
  expect((await ask('GET', '/v1/sys/mounts')).status).toBe(200)
  expect(errors).toHaveLength(1)
})

it('explainAccess answers before the first HTTP request', async () => {
  const { service } = await client()
  await service.policies.write('app', 'path "sys/*" { capabilities = ["read", "update"] }')
  const explain = async (path: string) => {
    const result = await service.policies.explain(['app'], { path, operation: 'update' })
    return result.ok && result.value.text
  }
  expect(await explain('sys/mounts/x')).toBe('allowed: "sys/*" (policy app, line 1) allows read, update')
  expect(await explain('sys/seal')).toMatch(/^refused: "sys\/seal" also needs sudo/)
  expect(await explain('secret/x')).toBe('refused: no rule matches "secret/x"')
})
