import { beforeEach, describe, expect, it } from 'vitest'
import { unwrap } from '../../../../src/kernel/index.ts'
import { asking, type Client, client } from '../client.ts'

let world: Client
let ask: Client['ask']

const explain = async (body: unknown) => (await ask('POST', '/v1/sys/internal/acl/explain', body)).body?.data
const who = async (body: unknown) => (await ask('POST', '/v1/sys/internal/acl/who', body)).body?.data

beforeEach(async () => {
  world = await client()
  ask = world.ask
  const { policies } = world.service
  await policies.write('reader', 'path "secret/data/app/*" {\n  capabilities = ["read"]\n}\n')
  await policies.write('writer', '\npath "secret/data/app/*" { capabilities = ["update"] }')
  await policies.write('barred', 'path "secret/data/app/*" { capabilities = ["deny"] }')
  await policies.write('operator', 'path "sys/seal" { capabilities = ["update"] }')
  await policies.write('auditor', 'path "sys/internal/acl/explain" { capabilities = ["update"] }')
})

describe('explaining access', () => {
  const path = 'secret/data/app/db'
  it('names the policy, the rule and the capability that allow it', async () => {
    expect(await explain({ path: `/${path}`, operation: 'read', policies: ['reader', 'writer'] })).toEqual({
      allowed: true,
      policy: 'reader',
      rule: 'secret/data/app/*',
      line: 1,
      capability: 'read',
      needed: null,
      reason: 'granted',
      text: 'allowed: "secret/data/app/*" (policy reader, line 1; policy writer, line 2) allows read, update',
    })
  })
  it.each([
    [
      'of several policies with one pattern, the one that grants',
      'update',
      'reader,writer',
      true,
      'writer',
      'update',
      null,
    ],
    ['the capability that the rule lacks', 'update', 'reader', false, 'reader', null, 'update'],
    ['the policy that denies what another grants', 'read', 'reader,barred', false, 'barred', 'deny', 'read'],
    ['that no rule matches', 'read', 'operator', false, null, null, 'read'],
    ['the root policy, which has no rules', 'delete', 'root', true, 'root', 'delete', null],
  ])('names %s', async (_, operation, policies, allowed, policy, capability, needed) => {
    expect(await explain({ path, operation, policies })).toMatchObject({
      allowed,
      policy,
      capability,
      needed,
    })
  })
  it('tells sudo from the capability beside which it is needed', async () => {
    const sealing = { path: 'sys/seal', operation: 'update' }
    expect(await explain({ ...sealing, policies: 'operator' })).toMatchObject({
      capability: 'update',
      needed: 'sudo',
    })
    expect(await explain({ ...sealing, policies: 'reader' })).toMatchObject({ needed: 'update, sudo' })
  })
  it('is about a token by its text or accessor, and about the caller where none is named', async () => {
    const made = unwrap(await world.service.tokens.create({ policies: ['reader'] }))
    const { token, accessor } = made
    for (const named of [{ token }, { accessor }])
      expect(await explain({ path, operation: 'read', ...named })).toMatchObject({
        allowed: true,
        policy: 'reader',
      })
    expect(await explain({ path, operation: 'read' })).toMatchObject({ policy: 'root' })
  })
  it('gives rules as the policies of a namespace have them', async () => {
    await world.service.namespaces.create('team')
    const inTeam = { 'X-Secrets-Namespace': 'team' }
    await ask(
      'POST',
      '/v1/sys/policies/acl/own',
      { policy: 'path "kv/*" { capabilities = ["list"] }' },
      inTeam,
    )
    const asked = { path: 'kv/a', operation: 'list', policies: 'own' }
    expect((await ask('POST', '/v1/sys/internal/acl/explain', asked, inTeam)).body.data).toMatchObject({
      allowed: true,
      rule: 'kv/*',
    })
  })
  it('warns of policies that do not exist', async () => {
    const { body } = await ask('POST', '/v1/sys/internal/acl/explain', {
      path,
      operation: 'read',
      policies: 'reeder',
    })
    expect(body).toMatchObject({ data: { allowed: false }, warnings: ['policy "reeder" does not exist'] })
  })
  it.each([
    ['no path', { operation: 'read' }, 'path must be supplied'],
    [
      'an unknown operation',
      { path, operation: 'own' },
      'operation must be one of create, read, update, delete, list, scan, patch',
    ],
    [
      'two subjects',
      { path, operation: 'read', token: 'a', policies: 'b' },
      'provide one of token, accessor and policies',
    ],
  ])('refuses %s', async (_, body, message) => {
    expect(await ask('POST', '/v1/sys/internal/acl/explain', body)).toMatchObject({
      status: 400,
      body: { errors: [message] },
    })
  })
  it('needs a capability that the default policy does not grant', async () => {
    const asked = { path, operation: 'read' }
    for (const [policies, status] of [
      [['default'], 403],
      [['auditor'], 200],
    ] as const) {
      const made = unwrap(await world.service.tokens.create({ policies }))
      const other = asking(world.service, made.token)
      expect(await other('POST', '/v1/sys/internal/acl/explain', asked)).toMatchObject({ status })
    }
  })
  it('agrees with what requests are answered', async () => {
    await ask('POST', `/v1/${path}`, { data: { a: 1 } })
    for (const policies of [['reader'], ['writer'], ['reader', 'barred'], ['operator']]) {
      const made = unwrap(await world.service.tokens.create({ policies }))
      const token = made.token
      const { status } = await asking(world.service, token)('GET', `/v1/${path}`)
      expect(await explain({ path, operation: 'read', token })).toMatchObject({ allowed: status === 200 })
    }
  })
})

describe('listing who has access', () => {
  it('lists the policies that allow it on their own, and the tokens that have the right', async () => {
    const made = unwrap(await world.service.tokens.create({ policies: ['reader'], displayName: 'web' }))
    await world.service.tokens.create({ policies: ['reader', 'barred'] })
    const found = await who({ path: 'secret/data/app/db', operation: 'read' })
    expect(found.policies).toEqual([
      { policy: 'reader', rule: 'secret/data/app/*', line: 1 },
      { policy: 'root', rule: null, line: null },
    ])
    expect(found.tokens).toHaveLength(2)
    expect(found.tokens).toContainEqual({
      accessor: made.accessor,
      display_name: 'token-web',
      policies: ['default', 'reader'],
      entity_id: '',
      policy: 'reader',
      rule: 'secret/data/app/*',
      line: 1,
    })
    expect(found.more).toBe(false)
  })
  it('says that there are more tokens than the limit', async () => {
    await world.service.tokens.create({ policies: ['reader'] })
    const found = await who({ path: 'secret/data/app/db', operation: 'read', limit: 1 })
    expect(found).toMatchObject({ tokens: [expect.anything()], more: true })
  })
  it('needs sudo: it shows accessors', async () => {
    await world.service.policies.write('curious', 'path "sys/internal/acl/*" { capabilities = ["update"] }')
    const made = unwrap(await world.service.tokens.create({ policies: ['curious'] }))
    const other = asking(world.service, made.token)
    const asked = { path: 'secret/data/app/db', operation: 'read' }
    expect(await other('POST', '/v1/sys/internal/acl/who', asked)).toMatchObject({ status: 403 })
  })
})
