import { describe, expect, it } from 'vitest'
import { memoryStore } from '../../src/store/index.ts'
import { ask } from '../client.ts'
import { served, vpc } from './served.ts'

const path = '/plinth/v1/tokens'
const as = (token: string) => ({ headers: { authorization: `Bearer ${token}` } })

/** A registry with a token of an administrator. */
async function administered() {
  const store = memoryStore()
  const all = await served({ store })
  const made = await all.registry.createToken({ name: 'boss', administrator: true })
  if (!made.ok) throw new Error(made.refusal.message)
  const boss = as(made.value.token)
  const create = (body: unknown, who = boss) => ask(all.registry, `POST ${path}`, { ...who, body })
  const list = async () => (await ask(all.registry, `GET ${path}`, boss)).body.tokens
  const remove = (id: string, who = boss) => ask(all.registry, `DELETE ${path}/${id}`, who)
  const mayRemoveIn = async (namespace: string, token: string) => {
    const answer = await ask(all.registry, `DELETE /v1/modules/${namespace}/none/aws/1.0.0`, as(token))
    return answer.status === 404
  }
  return { ...all, store, boss, bossToken: made.value.token, create, list, remove, mayRemoveIn }
}

describe('a token of a registry', () => {
  it('is created by an administrator, shown once, and publishes into its namespaces', async () => {
    const { create, list, store, mayRemoveIn } = await administered()
    const { status, body, headers } = await create({ name: 'ci', namespaces: ['acme'], ttl: '90d' })
    expect([status, headers.get('cache-control')]).toEqual([201, 'no-store'])
    const { token, ...summary } = body
    expect(summary).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{16}$/),
      name: 'ci',
      administrator: false,
      namespaces: ['acme'],
      read: null,
      created_at: '2026-01-02T03:04:05.678Z',
      expires_at: '2026-04-02T03:04:05.678Z',
      last_used_at: null,
    })
    expect([await mayRemoveIn('acme', token), await mayRemoveIn('other', token)]).toEqual([true, false])
    expect(await list()).toEqual([
      expect.objectContaining({ name: 'boss', expires_at: null }),
      { ...summary, last_used_at: '2026-01-02T03:04:05.678Z' },
    ])
    expect(JSON.stringify(await store.read((view) => view.scan({ prefix: '' })))).not.toContain(token)
  })

  it('publishes nowhere when it only reads', async () => {
    const { create, mayRemoveIn } = await administered()
    const { status, body } = await create({ name: 'laptops', read_only: true })
    expect([status, body.namespaces]).toEqual([201, []])
    expect(await mayRemoveIn('acme', body.token)).toBe(false)
  })

  it('reads the namespaces of a private registry that it is told to, and those it publishes into', async () => {
    const store = memoryStore()
    const { registry } = await served({ store, authenticate: 'tokens' })
    const tokenOf = async (input: Parameters<typeof registry.createToken>[0]) => {
      const made = await registry.createToken(input)
      if (!made.ok) throw new Error(made.refusal.message)
      return made.value
    }
    const statuses = async (input: Omit<Parameters<typeof registry.createToken>[0], 'name'>) => {
      const { token } = await tokenOf({ name: 'x', ...input })
      const { namespace, name, provider } = vpc
      const at = `/v1/modules/${namespace}/${name}/${provider}`
      const all = await Promise.all(
        [at, `${at}/versions`, '/v1/modules'].map((path) => ask(registry, `GET ${path}`, as(token))),
      )
      return [all[0]?.status, all[1]?.status, all[2]?.body.modules.length > 0]
    }
    expect(await statuses({ readOnly: true })).toEqual([200, 200, true])
    expect(await statuses({ readOnly: true, reads: [vpc.namespace.toUpperCase()] })).toEqual([200, 200, true])
    expect(await statuses({ readOnly: true, reads: ['other'] })).toEqual([404, 404, expect.any(Boolean)])
    expect(await statuses({ namespaces: [vpc.namespace], reads: [] })).toEqual([200, 200, true])
    for (const wrong of [{ reads: ['a/b'] }, { reads: ['acme'], administrator: true }])
      expect(await registry.createToken({ name: 'x', ...wrong })).toMatchObject({
        ok: false,
        refusal: { code: 'invalid_token' },
      })
    await registry.close()
  })

  it('ends when it is revoked', async () => {
    const { create, list, remove, mayRemoveIn } = await administered()
    const { body } = await create({ name: 'ci' })
    expect(await mayRemoveIn('acme', body.token)).toBe(true)
    expect((await remove(body.id)).status).toBe(204)
    expect(await mayRemoveIn('acme', body.token)).toBe(false)
    expect(await list()).toHaveLength(1)
    expect(await remove(body.id)).toMatchObject({ status: 404, text: '{"errors":["Not Found"]}' })
  })

  it('ends with its time, and is swept then', async () => {
    const { create, list, clock, remove, registry, store, mayRemoveIn } = await administered()
    const { body } = await create({ name: 'ci', ttl: '30m' })
    await clock.advance(1_799_999)
    expect(await mayRemoveIn('acme', body.token)).toBe(true)
    await clock.advance(1)
    expect(await mayRemoveIn('acme', body.token)).toBe(false)
    expect(await list()).toMatchObject([{ name: 'boss' }])
    expect((await remove(body.id)).status).toBe(404)
    await registry.sweep()
    const kept = JSON.stringify(await store.read((view) => view.scan({ prefix: 'token' })))
    expect([kept.includes('"ci"'), kept.includes('"boss"')]).toEqual([false, true])
  })

  it('manages no tokens unless it is of an administrator', async () => {
    const { create, remove, registry, list } = await administered()
    const { body } = await create({ name: 'ci' })
    for (const answer of [
      await create({ name: 'mine', administrator: true }, as(body.token)),
      await ask(registry, `GET ${path}`, as(body.token)),
      await remove(body.id, as(body.token)),
    ])
      expect([answer.status, answer.text.includes(body.id)]).toEqual([403, false])
    for (const [who, challenge] of [
      [{ headers: {} }, 'Bearer'],
      [as('wrong'), 'Bearer'],
    ] as const) {
      const answer = await ask(registry, `GET ${path}`, who)
      expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([401, challenge])
    }
    expect(await list()).toHaveLength(2)
  })

  it('is managed by another administrator, too', async () => {
    const { create, list } = await administered()
    const { body } = await create({ name: 'ann', administrator: true })
    expect((await create({ name: 'ci' }, as(body.token))).status).toBe(201)
    expect((await list()).map(({ name }: { name: string }) => name)).toEqual(['ann', 'boss', 'ci'])
  })

  it('is created by an administrator whom the program knows', async () => {
    const publishers = (token: string) =>
      token === 'first' ? { name: 'root', administrator: true } : { name: 'x' }
    const { registry } = await served({ publishers })
    const create = (token: string) =>
      ask(registry, `POST ${path}`, { ...as(token), body: { name: 'ci', namespaces: null } })
    expect([(await create('first')).status, (await create('second')).status]).toEqual([201, 403])
  })

  it.each([
    ['no name', 400, {}],
    ['a name with a space', 422, { name: 'a b' }],
    ['no namespace', 422, { name: 'ci', namespaces: [] }],
    ['what is no namespace', 422, { name: 'ci', namespaces: ['a/b'] }],
    ['too many namespaces', 422, { name: 'ci', namespaces: Array.from({ length: 1001 }, (_, n) => `n${n}`) }],
    ['a read-only token of a namespace', 422, { name: 'ci', read_only: true, namespaces: ['acme'] }],
    ['a read-only administrator', 422, { name: 'ci', read_only: true, administrator: true }],
    ['an administrator of one namespace', 422, { name: 'ci', namespaces: ['acme'], administrator: true }],
    ['a misspelt field', 400, { name: 'ci', namespace: 'acme' }],
    ['no duration', 400, { name: 'ci', ttl: 'soon' }],
    ['no time', 422, { name: 'ci', ttl: 0 }],
    ['time that is over', 422, { name: 'ci', ttl: '-1h' }],
    ['a hundred years', 422, { name: 'ci', ttl: '36500d' }],
    ['what is no object', 400, 'ci'],
  ])('is not created with %s', async (_, status, body) => {
    const { create, list } = await administered()
    expect((await create(body)).status).toBe(status)
    expect(await list()).toHaveLength(1)
  })

  it('is in no record of a request', async () => {
    const records: unknown[] = []
    const { registry } = await served({
      onRequest: (record) => void records.push(record),
      publishers: () => ({ name: 'root', administrator: true }),
    })
    const { body } = await ask(registry, `POST ${path}`, { ...as('first'), body: { name: 'ci' } })
    await ask(registry, `DELETE ${path}/${body.id}`, as('first'))
    expect(records).toMatchObject([
      { route: 'registry.createToken', caller: 'root', status: 201 },
      { route: 'registry.removeToken', caller: 'root', status: 204 },
    ])
    expect(JSON.stringify(records)).not.toMatch(/rt\.|first/)
  })

  it('reads no module of its own accord, and does not shadow one', async () => {
    const { registry, bossToken } = await administered()
    expect((await ask(registry, `GET /v1/modules/${vpc.namespace}`, as(bossToken))).status).toBe(200)
    expect((await ask(registry, 'GET /plinth/v1', as(bossToken))).status).toBe(404)
  })

  it('keeps what it may when it was made before tokens had an end', async () => {
    const store = memoryStore()
    const { registry } = await served({ store }, { empty: true })
    const made = await registry.createToken({ name: 'old' })
    const [listed] = await registry.listTokens()
    expect(listed).toMatchObject({ name: 'old', administrator: false })
    expect(listed).not.toHaveProperty('expiresAt')
    const kept = JSON.stringify(await store.read((view) => view.scan({ prefix: '' })))
    expect(kept).not.toMatch(/expiresAt|administrator/)
    expect(made.ok).toBe(true)
  })
})
