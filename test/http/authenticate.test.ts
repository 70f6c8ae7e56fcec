import { describe, expect, it } from 'vitest'
import { createCatalog } from '../../src/catalog/index.ts'
import type { RequestRecord } from '../../src/http/index.ts'
import { serve } from '../../src/http/node/index.ts'
import { unwrap } from '../../src/index.ts'
import { createRegistry } from '../../src/registry/index.ts'
import { createScheduler } from '../../src/scheduler/index.ts'
import { type AuditRecord, devSecrets } from '../../src/secrets/index.ts'

/** The session of a program: the user that it sent along, in a header of its own. */
const userOf = ({ headers }: Request): string | undefined => headers.get('x-user') ?? undefined
const from = (user?: string): Record<string, string> => (user === undefined ? {} : { 'x-user': user })
type Fetch = (request: Request) => Promise<Response>
const ask = (fetch: Fetch, path: string, headers: Record<string, string>, body?: object) =>
  fetch(
    new Request(`http://app${path}`, {
      headers,
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
    }),
  )

describe('a program that authenticates requests itself', () => {
  it('gives policies to requests of the secrets service, beside tokens', async () => {
    const records: AuditRecord[] = []
    const { service, rootToken } = await devSecrets({
      authenticate: (request) => {
        expect(request.body).toBeNull()
        const user = userOf(request)
        return user === undefined ? undefined : { policies: [user], displayName: user }
      },
      onRequest: (record) => records.push(record),
    })
    unwrap(await service.policies.write('ada', 'path "secret/data/*" { capabilities = ["create", "read"] }'))
    const status = async (headers: Record<string, string>, body?: object) =>
      (await ask(service.fetch, '/v1/secret/data/app', headers, body)).status
    expect(await status(from('ada'), { data: { a: 1 } })).toBe(200)
    expect(await status(from('ada'))).toBe(200)
    expect(records.at(-1)?.caller).toMatchObject({ displayName: 'ada' })
    expect(await status(from('eve'))).toBe(403)
    expect(await status({})).toBe(403)
    expect(await status({ 'x-vault-token': rootToken })).toBe(200)
    await service.close()
  })

  it('gives the policies of a namespace', async () => {
    const { service, rootToken } = await devSecrets({
      authenticate: (request) => {
        const namespace = userOf(request)
        return namespace === undefined ? undefined : { policies: ['reader'], namespace }
      },
    })
    const policy = 'path "sys/policies/acl/*" { capabilities = ["read"] }'
    for (const name of ['acme', 'beta']) {
      unwrap(await service.namespaces.create(name))
      const path = `/v1/${name}/sys/policies/acl/reader`
      expect((await ask(service.fetch, path, { 'x-vault-token': rootToken }, { policy })).status).toBe(204)
    }
    const status = async (tenant: string) =>
      (await ask(service.fetch, '/v1/acme/sys/policies/acl/reader', from(tenant))).status
    expect(await status('acme')).toBe(200)
    for (const other of ['beta', 'none', '']) expect(await status(other)).toBe(403)
    await service.close()
  })

  it('gives policies to requests of the scheduler, which then has access control', async () => {
    const records: RequestRecord[] = []
    const scheduler = createScheduler({
      authenticate: (request) => (userOf(request) ? { name: userOf(request), policies: ['dev'] } : undefined),
      managementToken: 'management',
      onRequest: (record) => records.push(record),
    })
    const Rules = 'namespace "default" { policy = "read" }'
    unwrap(await scheduler.upsertPolicy({ Name: 'dev', Rules }, { token: 'management' }))
    const status = async (path: string, headers: Record<string, string>) =>
      (await ask(scheduler.fetch, path, headers)).status
    expect(await status('/v1/jobs', from('ada'))).toBe(200)
    expect(records.at(-1)?.caller).toBe('ada')
    expect(await status('/v1/nodes', from('ada'))).toBe(403)
    expect(await status('/v1/jobs', {})).toBe(403)
    expect(await status('/v1/nodes', { 'x-nomad-token': 'management' })).toBe(200)
    expect(await status('/v1/jobs', { 'x-nomad-token': '{"policies":["dev"]}' })).toBe(403)
    await scheduler.close()
  })

  it('names the user of requests of the catalog, and the reader of those of the registry', async () => {
    const catalog = createCatalog({
      authenticate: (request) => {
        const username = userOf(request)
        return username === undefined ? undefined : { username }
      },
    })
    unwrap(await catalog.putUser({ username: 'ada' }))
    const box = { box: { username: 'ada', name: 'tiny', is_private: true } }
    expect((await ask(catalog.fetch, '/api/v2/boxes', from('ada'), box)).status).toBe(200)
    expect((await ask(catalog.fetch, '/api/v2/box/ada/tiny', from('ada'))).status).toBe(200)
    for (const headers of [from('eve'), {}])
      expect((await ask(catalog.fetch, '/api/v2/box/ada/tiny', headers)).status).toBe(404)
    await catalog.close()

    const registry = createRegistry({ authenticate: (request) => (userOf(request) ? {} : undefined) })
    expect((await ask(registry.fetch, '/v1/modules', from('ada'))).status).toBe(200)
    expect((await ask(registry.fetch, '/v1/modules', {})).status).toBe(401)
    await registry.close()
  })

  it('may never answer: neither its clients, nor the listener, nor the service wait for it', async () => {
    let asked = () => {}
    const registry = createRegistry({
      authenticate: () => {
        asked()
        return new Promise(() => {})
      },
    })
    const listening = await serve({ fetch: registry.fetch })
    const request = async (signal?: AbortSignal) => {
      const begun = new Promise<void>((resolve) => {
        asked = resolve
      })
      const answer = fetch(`${listening.url}/v1/modules`, { signal: signal ?? null })
      const outcome = answer.then(
        () => 'answered',
        () => 'ended',
      )
      await begun
      return { outcome }
    }
    const leaving = new AbortController()
    const left = await request(leaving.signal)
    leaving.abort()
    expect(await left.outcome).toBe('ended')
    const waiting = await request()
    await listening.close({ drainMs: 1 })
    expect(await waiting.outcome).toBe('ended')
    await registry.close()
  })

  it('hears of its own mistakes, and its callers get 500', async () => {
    const errors: unknown[] = []
    const onError = (error: unknown) => errors.push(error)
    for (const authenticate of [
      () => Promise.reject(new Error('the directory is away')),
      () => ({ policy: 'dev' }) as never,
    ]) {
      const scheduler = createScheduler({ authenticate, onError })
      const { service } = await devSecrets({ authenticate, onError })
      expect((await ask(scheduler.fetch, '/v1/jobs', {})).status).toBe(500)
      expect((await ask(service.fetch, '/v1/secret/data/app', {})).status).toBe(500)
      await Promise.all([scheduler.close(), service.close()])
    }
    expect(errors.map(String)).toEqual([
      'Error: the directory is away',
      'Error: the directory is away',
      "TypeError: authenticate: return { policies: ['name'] } or undefined",
      "TypeError: authenticate: return { policies: ['name'] } or undefined",
    ])
  })
})
