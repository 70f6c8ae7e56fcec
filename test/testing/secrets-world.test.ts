import { describe, expect, it } from 'vitest'
import { DomainError, unwrapStep } from '../../src/kernel/index.ts'
import {
  type ApproleRole,
  loginWithApprole,
  makeApproleSecretId,
  writeApproleRole,
} from '../../src/secrets/approle/index.ts'
import {
  createNamespace,
  devSecrets,
  enableMount,
  freshMounts,
  giveShare,
  noProgress,
  tuneMount,
  wrappingToken,
} from '../../src/secrets/index.ts'
import { deleteVersions, destroyVersions, undeleteVersions } from '../../src/secrets/kv.ts'
import { secretsWorld, testClock } from '../../src/testing/index.ts'

const names = ({ name, roleId }: ApproleRole) => ({ name, drawnRoleId: roleId })

describe('a secret in a world', () => {
  it('is read as it was written, until its time is over', () => {
    const world = secretsWorld()
    world.write('app', { password: 'hunter2' }, { ttlSeconds: 60 })
    expect(world.read('app')).toEqual({ password: 'hunter2' })
    world.advance(59_999)
    expect(world.read('app')).toEqual({ password: 'hunter2' })
    world.advance(1)
    expect(world.read('app')).toBeUndefined()
  })
  it('keeps its versions, and no more than the mount says', () => {
    const world = secretsWorld({ config: { maxVersions: 2 } })
    expect([1, 2, 3].map((n) => world.write('app', { n }))).toEqual([1, 2, 3])
    expect([1, 2, 3].map((version) => world.read('app', version))).toEqual([undefined, { n: 2 }, { n: 3 }])
  })
  it('refuses a write that follows another version', () => {
    const world = secretsWorld()
    world.write('app', {}, { cas: 0 })
    expect(() => world.write('app', {}, { cas: 0 })).toThrow(DomainError)
  })
  it('is as it was after a write that fails', () => {
    const world = secretsWorld()
    world.write('app', { a: 1 })
    expect(() => world.write('app', { run: () => {} })).toThrow('could not be cloned')
    for (const ttlSeconds of [Number.NaN, -1])
      expect(() => world.write('app', { a: 2 }, { ttlSeconds })).toThrow(
        /input.deleteVersionAfterSeconds is (NaN|-1), not a whole number/,
      )
    expect(world.read('app')).toEqual({ a: 1 })
  })
  it('refuses a time and settings that are none', () => {
    expect(() => secretsWorld({ now: Number.NaN })).toThrow('now is NaN: pass a number of milliseconds')
    expect(() => secretsWorld({ config: { maxVersions: -1 } })).toThrow('input.maxVersions is -1')
  })
  it('takes the commands of the engine', () => {
    const world = secretsWorld()
    world.write('app', { a: 1 })
    world.change('app', deleteVersions, { versions: 'current' })
    expect(world.read('app')).toBeUndefined()
    world.change('app', undeleteVersions, { versions: [1] })
    expect(world.read('app')).toEqual({ a: 1 })
    world.change('app', destroyVersions, { versions: [1] })
    expect(world.read('app')).toBeUndefined()
    expect(() => world.change('none', deleteVersions, { versions: [1] })).toThrow(
      'there is no secret at none',
    )
  })
  it('takes the commands of every engine, with the state that the one before returned', () => {
    const world = secretsWorld()
    const role = world.apply(writeApproleRole, { name: 'ci', drawnRoleId: 'r', secretIdNumUses: 1 })
    const once = world.apply(makeApproleSecretId, { digest: 'd', accessor: 'a' }, undefined, { role })
    expect(world.apply(loginWithApprole, { role }, once)).toBeUndefined()
    const fewer = world.apply(writeApproleRole, { ...names(role), secretIdNumUses: 0 }, role)
    expect(fewer).toEqual({ ...role, secretIdNumUses: 0 })
    expect(() => world.apply(writeApproleRole, { ...names(role), bindSecretId: false }, role)).toThrow(
      DomainError,
    )
  })
  it('is a copy of what was given', () => {
    const world = secretsWorld()
    const data = { a: 1 }
    world.write('app', data)
    data.a = 2
    expect(world.read('app')).toEqual({ a: 1 })
  })
})

describe('a token in a world', () => {
  it('may do what its policies allow while it is alive', () => {
    const world = secretsWorld()
    world.policy('reader', 'path "secret/data/*" { capabilities = ["read"] }')
    const token = world.token({ policies: ['reader'], ttlSeconds: 60 })
    expect(world.allows(token, 'read', 'secret/data/app')).toBe(true)
    expect(world.allows(token, 'update', 'secret/data/app')).toBe(false)
    expect(world.allows(world.root, 'update', 'sys/seal')).toBe(true)
    world.advance(60_000)
    expect(world.allows(token, 'read', 'secret/data/app')).toBe(false)
  })
  it('may do what every token may do', () => {
    const world = secretsWorld()
    expect(world.allows(world.token(), 'read', 'auth/token/lookup-self')).toBe(true)
    expect(world.allows(world.token(), 'read', 'secret/data/app')).toBe(false)
  })
  it('is not asked for what no rule could ever match', () => {
    const world = secretsWorld()
    const token = world.token({ policies: ['raeder'] })
    expect(() => world.allows(token, 'read', 'secret/data/app')).toThrow('there is no policy raeder')
    world.policy('raeder', 'path "*" { capabilities = ["read"] }')
    expect(world.allows(token, 'read', 'secret/data/app')).toBe(true)
    for (const path of ['/secret/data/app', 'v1/secret/data/app', '/v1/secret/data/app'])
      expect(() => world.allows(token, 'read', path)).toThrow(`no rule matches ${path}; use secret/data/app`)
    expect(() => world.allows(token, 'write' as never, 'secret/data/app')).toThrow(
      'write is not an operation; use one of create,read,update',
    )
    world.policy('raeder', 'path "v1/*" { capabilities = ["read"] }')
    expect(world.allows(token, 'read', 'v1/a')).toBe(true)
  })
  it('ends with its parent', () => {
    const world = secretsWorld()
    const parent = world.token({ ttlSeconds: 600 })
    const child = world.token({ ttlSeconds: 60 }, parent)
    const batch = world.token({ type: 'batch', ttlSeconds: 60 })
    world.revoke(parent)
    expect([parent, child, batch, world.root].map(world.isAlive)).toEqual([false, false, true, true])
  })
  it('has its own name among others though it was given none', () => {
    const world = secretsWorld()
    expect(world.token().digest).not.toBe(world.token().digest)
  })
})

it('a world agrees with a service about when a secret is over', async () => {
  const clock = testClock()
  const { service } = await devSecrets({ ...clock })
  const world = secretsWorld({ now: clock.now() })
  await service.kv().writeMetadata('app', { deleteVersionAfterSeconds: 90 })
  await service.kv().write('app', { a: 1 })
  world.write('app', { a: 1 }, { ttlSeconds: 90 })
  for (const ms of [89_999, 1]) {
    await clock.advance(ms)
    world.advance(ms)
    const found = await service.kv().read('app')
    expect(found.ok && found.value.kind === 'live').toBe(world.read('app') !== undefined)
  }
  await service.close()
})

describe('the rules without a service', () => {
  const env = { now: 0, newId: (kind: string) => kind }
  const accessorTail = 'a'
  it('mount and tune', () => {
    const table = freshMounts([], env, () => accessorTail)
    const mounted = unwrapStep(enableMount(table, { path: 'team', type: 'kv', accessorTail }, env)).state
    const tuned = unwrapStep(
      tuneMount(mounted, { path: 'team', maxLeaseTtlSeconds: 60, defaultLeaseTtlSeconds: 60 }, env),
    )
    expect(tuned.value.mount).toMatchObject({ path: 'team/', maxLeaseTtlSeconds: 60 })
  })
  it('create namespaces', () => {
    const none = { namespaces: {} }
    expect(createNamespace(none, { parent: '', name: 'sys' }, env)).toMatchObject({ ok: false })
    expect(createNamespace(none, { parent: '', name: 'team' }, env)).toMatchObject({
      value: { path: 'team/' },
    })
  })
  it('wrap once', () => {
    const input = {
      digest: 'd',
      accessor: 'a',
      namespace: '',
      namespaceId: 'root',
      path: 'secret/a',
      ttlSeconds: 60,
    }
    expect(wrappingToken(input, env).state).toMatchObject({ numUses: 1, renewable: false, expiresAt: 60_000 })
  })
  it('count key shares', () => {
    const seal = { threshold: 2, shareBytes: 1 }
    const first = unwrapStep(giveShare(noProgress, { share: '01' }, env, seal))
    expect(first.value.enough).toBe(false)
    expect(giveShare(first.state, { share: '02' }, env, seal)).toMatchObject({ value: { enough: true } })
  })
})
