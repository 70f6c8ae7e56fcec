import { describe, expect, it } from 'vitest'
import { unwrap } from '../../src/kernel/index.ts'
import { createRegistry, type RegistryOptions } from '../../src/registry/index.ts'
import { nodeHashing } from '../../src/store/blobs/node-hashing.ts'
import { memoryBlobs, memoryStore } from '../../src/store/index.ts'
import { testClock } from '../../src/testing/index.ts'
import { read } from '../client.ts'
import { ownedBlobIds } from '../store/blobs/owned-blob-ids.ts'
import { tarGz } from './archive/archives.ts'

const archive = tarGz({ path: 'main.tf', text: 'variable "a" {}\n' })

/** A registry with an administrator, and with ci, which publishes into acme. */
async function company(options: Partial<RegistryOptions> = {}) {
  const clock = testClock({ now: Date.UTC(2026, 0, 2) })
  const blobs = memoryBlobs(nodeHashing)
  const registry = createRegistry({
    store: memoryStore(),
    blobs,
    env: clock.env,
    timers: clock.timers,
    ...options,
  })
  const asking = async (input: Parameters<typeof registry.createToken>[0]) => {
    const { token } = unwrap(await registry.createToken(input))
    return async (method: string, path: string, body?: object | Uint8Array) =>
      read(
        await registry.fetch(
          new Request(`http://service.test${path}`, {
            method,
            headers: { authorization: `Bearer ${token}` },
            ...(body === undefined
              ? {}
              : { body: body instanceof Uint8Array ? new Uint8Array(body) : JSON.stringify(body) }),
          }),
        ),
      )
  }
  const boss = await asking({ name: 'boss', administrator: true })
  const ci = await asking({ name: 'ci', namespaces: ['acme'] })
  const publish = (version: string, name = 'vpc') =>
    ci('POST', `/v1/modules/acme/${name}/aws/${version}`, archive)
  const numbers = async () => {
    const { body } = await ci('GET', '/v1/modules/acme/vpc/aws/versions')
    return body.modules[0].versions.map(({ version }: { version: string }) => version)
  }
  const count = async () => {
    let all = 0
    for await (const _ of ownedBlobIds(blobs)) all += 1
    return all
  }
  return { registry, boss, ci, publish, numbers, count }
}

const quota = '/plinth/v1/namespaces/acme/quota'
const prune = '/plinth/v1/namespaces/acme/prune'

describe('the quota of a namespace', () => {
  it('is set by administrators, and read by its publishers', async () => {
    const { boss, ci, publish } = await company()
    expect((await publish('1.0.0')).status).toBe(201)
    expect((await ci('PUT', quota, { modules: 1 })).status).toBe(403)
    expect((await ci('GET', '/plinth/v1/namespaces/beta/quota')).status).toBe(403)
    expect((await boss('PUT', quota, { bytes: 1_000_000, modules: 1 })).status).toBe(200)
    expect((await ci('GET', quota)).body).toEqual({
      owner: 'acme',
      used: { bytes: archive.length, modules: 1, versions: 1 },
      quota: { bytes: 1_000_000, modules: 1, versions: null, keep_versions: null },
    })
    expect((await boss('PUT', '/plinth/v1/namespaces/a%20b/quota', { modules: 1 })).status).toBe(422)
    expect((await boss('PUT', quota, { modulez: 1 })).status).toBe(400)
  })

  it('refuses modules, versions and bytes beyond it, and keeps nothing of them', async () => {
    const { boss, publish, count, registry } = await company()
    await publish('1.0.0')
    const refusedBy = async (changes: object, name?: string) => {
      await boss('PUT', quota, changes)
      const { status, body } = await publish('2.0.0', name)
      return [status, body.errors?.[0]]
    }
    const advice = 'delete what is no longer needed, or ask an administrator to raise the quota'
    expect(await refusedBy({ modules: 1 }, 'dns')).toEqual([
      422,
      `acme has 1 modules, and may have 1: ${advice}`,
    ])
    expect(await refusedBy({ modules: null, versions: 1 })).toEqual([
      422,
      `acme has 1 versions, and may have 1: ${advice}`,
    ])
    const bytes = archive.length
    expect(await refusedBy({ versions: null, bytes: bytes + 10 })).toEqual([
      422,
      `acme has ${bytes} bytes, and may have ${bytes + 10}: ${advice}`,
    ])
    expect(await count()).toBe(1)
    const moved = await registry.renameModule(
      { namespace: 'acme', name: 'vpc', provider: 'aws' },
      { namespace: 'beta', name: 'vpc', provider: 'aws' },
    )
    expect(moved.ok).toBe(true)
    expect(await refusedBy({ bytes: 2 * bytes }, 'dns')).toEqual([201, undefined])
  })

  it('holds for publishes at the same moment, and for the options of the registry', async () => {
    const { publish, numbers } = await company({ limits: { versionsPerNamespace: 2 } })
    const all = await Promise.all(['1.0.0', '2.0.0', '3.0.0', '4.0.0'].map((version) => publish(version)))
    expect(all.map(({ status }) => status).sort()).toEqual([201, 201, 422, 422])
    expect(await numbers()).toHaveLength(2)
  })
})

describe('old versions of modules', () => {
  it('are listed by a dry run and removed with their archives, never the latest', async () => {
    const { ci, publish, numbers, count } = await company()
    for (const version of ['1.0.0', '1.1.0', '1.2.0', '2.0.0-beta1', '2.0.0-beta2']) await publish(version)
    const dry = await ci('POST', prune, { keep_versions: 1, dry_run: true })
    expect(dry.body.versions.map(({ version }: { version: string }) => version)).toEqual([
      '1.0.0',
      '1.1.0',
      '2.0.0-beta1',
    ])
    expect(await numbers()).toHaveLength(5)
    expect((await ci('POST', prune, { keep_versions: 1 })).body).toEqual({ ...dry.body, dry_run: false })
    expect(await numbers()).toEqual(['1.2.0', '2.0.0-beta2'])
    expect(await count()).toBe(2)
    expect((await ci('POST', prune, {})).status).toBe(422)
  })

  it('are removed by the sweep, more than one commit holds', async () => {
    const { ci, registry, publish, numbers } = await company()
    for (let minor = 0; minor < 30; minor += 1) await publish(`1.${minor}.0`)
    expect((await ci('PUT', quota, { keep_versions: 2 })).status).toBe(200)
    await registry.sweep()
    expect(await numbers()).toEqual(['1.28.0', '1.29.0'])
  })
})
