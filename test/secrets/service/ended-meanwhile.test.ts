import { describe, expect, it } from 'vitest'
import { memoryStore, type Store } from '../../../src/store/index.ts'
import { scriptedProvider } from '../../../src/testing/index.ts'
import { type Answer, asking, type Client, client } from './client.ts'

/** A store that lets something happen right before the next commit. */
function interruptible() {
  let before: (() => Promise<unknown>) | undefined
  const inner = memoryStore()
  const commit: Store['commit'] = async (batch) => {
    const happens = before
    before = undefined
    await happens?.()
    return inner.commit(batch)
  }
  const keys = async () =>
    (await inner.read((view) => view.scan({ prefix: '' })))
      .filter(({ value }) => value !== null)
      .map(({ key }) => key)
  return {
    store: { ...inner, commit },
    keys,
    /** Does something in the middle of something else: when that is decided, and not yet kept. */
    during: async (work: () => Promise<Answer>, meanwhile: () => Promise<unknown>): Promise<number> => {
      before = meanwhile
      return (await work()).status
    },
  }
}

const provider = scriptedProvider({ users: { ada: { password: 'pw' } } })
const idp = '/v1/team/auth/idp'

async function setup() {
  const { store, keys, during } = interruptible()
  const made = await client({ store, idpProvider: provider })
  const { ask, service } = made
  await ask('POST', '/v1/sys/namespaces/team')
  await ask('POST', '/v1/team/sys/auth/idp', { type: 'idp' })
  await ask('POST', `${idp}/config`, { org_name: 'acme' })
  await ask('POST', '/v1/auth/token/create', { policies: ['root'], id: 'parent' })
  await service.sweep()
  return { ...made, keys, during, asParent: asking(service, 'parent') }
}

const revoked = (ask: Client['ask']) => ask('POST', '/v1/auth/token/revoke', { token: 'parent' })
const deleted = (ask: Client['ask']) => ask('DELETE', '/v1/sys/namespaces/team')
const unmounted = (ask: Client['ask']) => ask('DELETE', '/v1/team/sys/auth/idp')

describe('what ends while something is made in it leaves nothing of that', () => {
  it.each([
    ['a token whose parent is revoked', ['/v1/auth/token/create', { policies: ['root'] }], revoked, 403],
    [
      'a batch token whose parent is revoked',
      ['/v1/auth/token/create', { type: 'batch', policies: ['default'] }],
      revoked,
      200,
    ],
    ['a token in a namespace that is deleted', ['/v1/team/auth/token/create-orphan', {}], deleted, 403],
    ['a mount in a namespace that is deleted', ['/v1/team/sys/mounts/kv', { type: 'kv' }], deleted, 400],
    [
      'a policy in a namespace that is deleted',
      ['/v1/team/sys/policies/acl/a', { policy: 'path "x" {}' }],
      deleted,
      400,
    ],
    ['a token role in a namespace that is deleted', ['/v1/team/auth/token/roles/a', {}], deleted, 400],
    ['a login in a namespace that is deleted', [`${idp}/login/ada`, { password: 'pw' }], deleted, 404],
    ['a login at an auth method that is unmounted', [`${idp}/login/ada`, { password: 'pw' }], unmounted, 404],
    ['what a revoked token keeps for itself', ['/v1/cubbyhole/a', { b: 1 }], revoked, 403],
  ] as const)('%s', async (_, [path, body], end, status) => {
    const plain = await setup()
    await end(plain.ask)
    await plain.service.sweep()
    const { ask, asParent, service, during, keys, errors } = await setup()
    const made = () => asParent('POST', path, body)
    expect(await during(made, () => end(ask))).toBe(status)
    if (status === 200) await end(ask)
    await service.sweep()
    expect((await keys()).length).toBe((await plain.keys()).length)
    expect(errors).toEqual([])
  })

  it.each([
    ['a child', '/v1/auth/token/create', { policies: ['root'], id: 'child' }],
    ['something kept for itself', '/v1/cubbyhole/a', { b: 1 }],
  ])('a token that is revoked while it is given %s', async (_, path, body) => {
    const plain = await setup()
    await revoked(plain.ask)
    await plain.service.sweep()
    const { ask, asParent, service, during, keys } = await setup()
    expect(
      await during(
        () => revoked(ask),
        () => asParent('POST', path, body),
      ),
    ).toBe(204)
    expect((await asking(service, 'child')('GET', '/v1/sys/mounts')).status).toBe(403)
    await service.sweep()
    expect((await keys()).length).toBe((await plain.keys()).length)
  })
})

it.each([
  ['a child', 'POST', '/v1/auth/token/create', { policies: ['root'], id: 'child', ttl: 600_000 }],
  ['something kept for itself', 'POST', '/v1/cubbyhole/a', { b: 1 }],
])('a token that expires while it is given %s takes that with it', async (_, method, path, body) => {
  const inner = memoryStore()
  let order: ((commit: () => Promise<void>) => Promise<void>) | undefined
  const commit: Store['commit'] = async (batch) => {
    const held = order
    order = undefined
    let verdicts: Awaited<ReturnType<Store['commit']>> = []
    const go = async () => {
      verdicts = await inner.commit(batch)
    }
    await (held ? held(go) : go())
    return verdicts
  }
  const { ask, clock, service } = await client({ store: { ...inner, commit } })
  const keys = async () => (await inner.read((view) => view.scan({ prefix: '' }))).map(({ key }) => key)
  const before = await keys()
  await ask('POST', '/v1/auth/token/create', { policies: ['root'], id: 'parent', ttl: 60 })
  let swept: Promise<unknown> | undefined
  // What is made was decided in time and is committed late: after the sweep decided, and before it commits.
  order = async (made) => {
    await clock.advance(59_000)
    let end = () => {}
    const decided = new Promise<void>((resolve) => {
      order = async (ended) => {
        resolve()
        await new Promise<void>((done) => {
          end = done
        })
        await ended()
      }
    })
    swept = clock.advance(2_000).then(() => service.sweep())
    await decided
    await made()
    end()
  }
  expect((await asking(service, 'parent')(method, path, body)).status).toBeLessThan(300)
  await swept
  await service.sweep()
  expect(await keys()).toEqual(before)
})

describe('moving an auth method', () => {
  it.each(['service', 'batch'])(
    'ends the %s tokens of its logins, also when it is moved back',
    async (type) => {
      const { ask, service } = await setup()
      await ask('POST', `${idp}/config`, { org_name: 'acme', token_type: type })
      const login = async (path: string) => {
        const { body } = await asking(service, undefined)('POST', `${path}/login/ada`, { password: 'pw' })
        return asking(service, body.auth.client_token)
      }
      const move = (from: string, to: string) =>
        ask('POST', '/v1/team/sys/remount', { from: `auth/${from}`, to: `auth/${to}` })
      const look = '/v1/team/auth/token/lookup-self'
      const earlier = await login(idp)
      expect((await earlier('GET', look)).status).toBe(200)
      await move('idp', 'people')
      expect((await earlier('GET', look)).status).toBe(403)
      const after = await login('/v1/team/auth/people')
      expect((await after('GET', look)).status).toBe(200)
      await move('people', 'idp')
      for (const held of [earlier, after]) expect((await held('GET', look)).status).toBe(403)
      expect((await (await login(idp))('GET', look)).status).toBe(200)
    },
  )
})
