import { describe, expect, it } from 'vitest'
import { createRegistry, type Upstream } from '../../src/registry/index.ts'
import { nodeHashing } from '../../src/store/blobs/node-hashing.ts'
import { memoryBlobs, memoryStore } from '../../src/store/index.ts'
import { testClock } from '../../src/testing/index.ts'
import { read } from '../client.ts'
import { tarGz } from './archive/archives.ts'

const vpc = { namespace: 'acme', name: 'vpc', provider: 'aws' }
const at = '/v1/modules/acme/vpc/aws'
const archive = (text = 'output "id" {\n  value = 1\n}\n') =>
  (async function* () {
    yield tarGz({ path: 'main.tf', text })
  })()

/** A registry whose upstream has the versions 1.0.0 and 9.0.0 of every module. */
function pulling(open: Upstream['open'] = async () => archive()) {
  const errors: unknown[] = []
  const registry = createRegistry({
    store: memoryStore(),
    blobs: memoryBlobs(nodeHashing),
    upstream: { name: 'up.test', versions: async () => ['1.0.0', '9.0.0'], open },
    onError: (error) => errors.push(error),
  })
  const get = async (path: string) => read(await registry.fetch(new Request(`http://service.test${path}`)))
  const versions = async () =>
    (await get(`${at}/versions`)).body.modules[0].versions.map(({ version }: { version: string }) => version)
  return { registry, errors, get, versions }
}

describe('a registry that copies from another one', () => {
  it.each([
    ['the module', vpc],
    ['another module of the namespace', { ...vpc, name: 'other' }],
  ])('keeps nothing of an upstream if %s is published while the archive arrives', async (_, own) => {
    const made: ReturnType<typeof pulling> = pulling(async () => {
      await made.registry.publishArchive(own, { version: '2.0.0' }, archive())
      return archive()
    })
    const { get, registry } = made
    expect((await get(`${at}/9.0.0/download`)).status).toBe(502)
    const listed = await registry.listVersions(own)
    expect(listed.ok && listed.value.versions.map(({ number }) => number)).toEqual(['2.0.0'])
    expect((await get(`${at}/9.0.0/download`)).status).toBe(404)
  })

  it('keeps only those waiting for a slow one who asked for its modules, and copies once', async () => {
    let arrive = () => {}
    const arrives = new Promise<void>((resolve) => {
      arrive = resolve
    })
    let opened = 0
    const { registry, get } = pulling(async () => {
      opened += 1
      await arrives
      return archive()
    })
    await registry.publishArchive({ ...vpc, namespace: 'own' }, { version: '1.0.0' }, archive())
    let waiting = 2
    const slow = [1, 2].map(async () => {
      const { status } = await get(`${at}/1.0.0/download`)
      waiting -= 1
      return status
    })
    expect((await get(`${at.replace('acme', 'own')}/1.0.0/download`)).status).toBe(204)
    expect((await get('/v1/modules')).body.modules).toHaveLength(1)
    expect(waiting).toBe(2)
    arrive()
    expect(await Promise.all(slow)).toEqual([204, 204])
    expect(opened).toBe(1)
  })

  it('asks no more once a version is added to a copied module', async () => {
    const { registry, get, versions } = pulling()
    expect((await get(`${at}/1.0.0/download`)).status).toBe(204)
    expect(await versions()).toEqual(['1.0.0', '9.0.0'])
    await registry.publishVersion(vpc, { version: '2.0.0', source: 'https://example.com/vpc.zip' })
    expect(await versions()).toEqual(['1.0.0', '2.0.0'])
  })

  it('reports why it does not keep an archive', async () => {
    const { get, errors } = pulling(async () =>
      (async function* () {
        yield new TextEncoder().encode('<html>')
      })(),
    )
    expect((await get(`${at}/1.0.0/download`)).status).toBe(502)
    expect(errors).toEqual([
      expect.objectContaining({ message: expect.stringMatching(/^acme\/vpc\/aws 1\.0\.0 of up\.test: ./) }),
    ])
  })

  it('is not asked in a circle by one that copies from it, and reports it', async () => {
    const errors: unknown[] = []
    const registries: Record<string, ReturnType<typeof createRegistry>> = {}
    const asked: string[] = []
    /** Copies from the other one over HTTP. */
    const from = (other: string): Upstream => ({
      name: other,
      versions: async (_, via) => {
        asked.push(other)
        const answer = await registries[other]?.fetch(
          new Request(`http://${other}${at}/versions`, { headers: { via } }),
        )
        return answer?.status === 200 ? ['1.0.0'] : undefined
      },
      open: async () => archive(),
    })
    const options = { onError: (error: unknown) => errors.push(error) }
    registries['a.test'] = createRegistry({ ...options, upstream: from('b.test') })
    registries['b.test'] = createRegistry({ ...options, upstream: from('a.test') })
    const answer = await registries['a.test'].fetch(new Request(`http://a.test${at}/versions`))
    expect(answer.status).toBe(404)
    expect(asked).toEqual(['b.test', 'a.test'])
    expect(errors).toEqual([
      expect.objectContaining({
        message: expect.stringMatching(/^b\.test, from which modules are copied, copies from/),
      }),
    ])
  })

  it('copies so many versions in an hour for callers without a token, and more for those with one', async () => {
    const clock = testClock()
    const registry = createRegistry({
      env: clock.env,
      timers: clock.timers,
      authenticate: async (request) => ({ name: request.headers.get('x-user') ?? undefined }),
      upstream: {
        name: 'up.test',
        versions: async () => ['1.0.0', '2.0.0', '3.0.0', '4.0.0'],
        open: async () => archive(),
        anonymousPerHour: 2,
      },
    })
    const download = async (version: string, headers = {}) =>
      read(await registry.fetch(new Request(`http://service.test${at}/${version}/download`, { headers })))
    expect((await download('1.0.0')).status).toBe(204)
    expect((await download('2.0.0')).status).toBe(204)
    const refused = await download('3.0.0')
    expect([refused.status, refused.body.errors[0]]).toEqual([
      429,
      'too many versions were copied for callers without a token: try again in an hour, or ask with a token',
    ])
    expect((await download('1.0.0')).status).toBe(204)
    expect((await download('3.0.0', { 'x-user': 'ann' })).status).toBe(204)
    await clock.advance(3_600_000)
    expect((await download('4.0.0')).status).toBe(204)
  })

  describe('whose sources send slowly', () => {
    /** Sends the beginning of an archive, and then nothing. */
    const drip = () =>
      (async function* () {
        yield tarGz({ path: 'main.tf', text: '# slow\n' }).subarray(0, 8)
        await new Promise(() => {})
      })()
    const slowly = (isSlow: (namespace: string) => boolean) => {
      const clock = testClock()
      const errors: unknown[] = []
      const opened: string[] = []
      const listed: string[] = []
      const registry = createRegistry({
        env: clock.env,
        timers: clock.timers,
        blobs: memoryBlobs(nodeHashing),
        upstream: {
          name: 'up.test',
          versions: async ({ namespace, name }) => {
            listed.push(`${namespace}/${name}`)
            return ['1.0.0']
          },
          open: async ({ namespace, name }) => {
            opened.push(`${namespace}/${name}`)
            return isSlow(namespace) ? drip() : archive()
          },
        },
        onError: (error) => errors.push(error instanceof Error ? error.message : error),
      })
      const download = async (module: string) => {
        const url = `http://service.test/v1/modules/${module}/aws/1.0.0/download`
        return (await registry.fetch(new Request(url))).status
      }
      /** Requests that come together may begin in any order. */
      const opens = (count: number) => expect.poll(() => opened.length).toBe(count)
      /** A copy waits for its turn as soon as the promises after its list of versions have settled. */
      const waits = async (module: string) => {
        await expect.poll(() => listed).toContain(module)
        await clock.advance(0)
      }
      return { clock, errors, opened, download, opens, waits, close: registry.close }
    }
    const numbered = (count: number) => Array.from({ length: count }, (_, at) => `m${at}`)

    it('copies from others meanwhile, and gives a slow copy up after five minutes', async () => {
      const { clock, errors, opened, download, opens, waits } = slowly((namespace) => namespace !== 'quick')
      const slow = numbered(8).map((name) => download(`slow/${name}`))
      await opens(4)
      const quick = download('quick/vpc')
      await waits('quick/vpc')
      expect(opened).toHaveLength(4)
      await clock.advance(5000)
      expect(await quick).toBe(204)
      await opens(9)
      // The lane of the slow ones took only its turns.
      expect(opened.indexOf('quick/vpc')).toBeLessThan(8)
      await clock.advance(5 * 60_000)
      expect(await Promise.all(slow)).toEqual(slow.map(() => 502))
      expect(errors).toContain('slow/m0/aws 1.0.0 of up.test: the copy takes longer than 5 minutes')
      expect(errors).toHaveLength(8)
    })

    it('gives up the oldest of many slow copies', async () => {
      const { clock, errors, opened, download, opens } = slowly(() => true)
      for (const name of numbered(20)) void download(`slow/${name}`)
      for (const count of [4, 8, 12, 16]) {
        await opens(count)
        await clock.advance(5000)
      }
      expect(errors).toEqual([])
      await opens(20)
      await clock.advance(5000)
      const oldest = opened
        .slice(0, 4)
        .map((module) => `${module}/aws 1.0.0 of up.test: too many sources are slow at the same time`)
      await expect.poll(() => [...errors].sort()).toEqual(oldest.sort())
    })

    it('ends them and those that wait when it is closed', async () => {
      const { errors, opened, download, opens, close } = slowly(() => true)
      const answers = numbered(6).map((name) => download(`slow/${name}`))
      await opens(4)
      await close()
      await Promise.all(answers)
      expect(
        errors.filter((error) => /of up.test: the registry was closed$/.test(String(error))),
      ).toHaveLength(6)
      expect(opened).toHaveLength(4)
    })
  })
})
