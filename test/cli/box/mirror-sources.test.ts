import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cleanUp, folder, run, type Server, start } from '../server.ts'

const bytes = randomBytes(100_000)
const sha256 = createHash('sha256').update(bytes).digest('hex')

type Fields = Readonly<Record<string, unknown>>

const provider = (fields: Fields = {}): Fields => ({
  name: 'virtualbox',
  architecture: 'amd64',
  hosted: true,
  download_url: '/image',
  checksum_type: 'sha256',
  checksum: sha256,
  ...fields,
})
const version = (number: string, ...providers: readonly Fields[]): Fields => ({
  version: number,
  status: 'active',
  providers,
})

/** A catalog of another make, whose boxes are those of the test. */
async function otherCatalog() {
  const boxes = new Map<string, readonly Fields[]>()
  const server = createServer(({ url = '' }, answer) => {
    const path = url.replace(/\?.*/, '')
    const json = (body: Fields) =>
      answer.setHeader('content-type', 'application/json').end(JSON.stringify(body))
    if (path === '/image') return void answer.end(bytes)
    if (path === '/moved') return void answer.writeHead(302, { location: 'file:///etc/hosts' }).end()
    if (path.startsWith('/page')) return void answer.end('<!doctype html>')
    if (path.startsWith('/old')) return void answer.writeHead(301, { location: 'https://new.example/' }).end()
    if (path === '/api/v2/user/alice')
      return void json({ username: 'alice', boxes: [...boxes.keys(), 'gone'].map((name) => ({ name })) })
    const name = path.replace('/api/v2/box/alice/', '')
    const versions = boxes.get(name)
    if (versions === undefined) return void answer.writeHead(404).end()
    json({ name, username: 'alice', private: false, versions })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, boxes, close: () => server.close() }
}

describe('plinth box mirror from a catalog of another make', () => {
  let source: Awaited<ReturnType<typeof otherCatalog>>
  let to: Server
  beforeAll(async () => {
    source = await otherCatalog()
    to = await start('--only=catalog', '--catalog-user=alice:password-1')
  })
  afterAll(async () => {
    source.close()
    await cleanUp()
  })

  const mirror = (what: string) =>
    run(['box', 'mirror', source.url, what, '--to', to.ready.catalog.url], {
      CATALOG_TOKEN: String(to.ready.catalog.tokens['alice']),
      TMPDIR: folder(),
    })
  const versionsOf = async (box: string) => {
    const answer = await fetch(`${to.ready.catalog.url}/api/v2/box/alice/${box}`)
    const { versions } = (await answer.json()) as { versions: { version: string; status: string }[] }
    return versions.map(({ version, status }) => `${version} ${status}`)
  }

  it('fetches an image whose URL has no host', async () => {
    source.boxes.set('relative', [version('1.0.0', provider())])
    expect(await mirror('alice/relative')).toMatchObject({
      code: 0,
      stdout: '1 images copied, 0 already there\n',
    })
    expect(await versionsOf('relative')).toEqual(['1.0.0 active'])
  })

  it('takes a checksum type in capitals', async () => {
    source.boxes.set('capitals', [version('1.0.0', provider({ checksum_type: 'SHA256' }))])
    expect(await mirror('alice/capitals')).toMatchObject({ code: 0 })
  })

  it('counts a link as copied when it makes it', async () => {
    const link = { hosted: false, original_url: 'https://elsewhere.example/base.box' }
    source.boxes.set('linked', [version('1.0.0', provider(link))])
    expect((await mirror('alice/linked')).stdout).toBe('1 images copied, 0 already there\n')
    expect((await mirror('alice/linked')).stdout).toBe('0 images copied, 1 already there\n')
  })

  it('releases a version without the image that the other catalog does not have either', async () => {
    const absent = provider({ name: 'qemu', download_url: null })
    source.boxes.set('half', [version('1.0.0', provider(), absent), version('2.0.0', absent)])
    const mirrored = await mirror('alice/half')
    expect(mirrored).toMatchObject({ code: 0, stdout: '1 images copied, 0 already there\n' })
    expect(mirrored.stderr).toContain('alice/half 1.0.0 qemu amd64 has no image in the other catalog')
    expect(await versionsOf('half')).toEqual(['1.0.0 active'])
  })

  it('follows a checksum that was corrected before the image came', async () => {
    source.boxes.set('corrected', [version('1.0.0', provider({ checksum: 'ab'.repeat(32) }))])
    expect(await mirror('alice/corrected')).toMatchObject({ code: 1 })
    source.boxes.set('corrected', [version('1.0.0', provider())])
    expect(await mirror('alice/corrected')).toMatchObject({ code: 0 })
    expect(await versionsOf('corrected')).toEqual(['1.0.0 active'])
  })

  it('reports immediately that an image has no URL that it can fetch', async () => {
    for (const [url, why] of [
      ['ftp://elsewhere.example/base.box', 'is not an http or https URL'],
      ['http://[', 'is not an http or https URL'],
      ['/moved', 'the server redirects to "file:///etc/hosts"'],
    ] as const) {
      source.boxes.set('unreachable', [version('1.0.0', provider({ download_url: url }))])
      const { code, stderr } = await mirror('alice/unreachable')
      expect(code).toBe(1)
      expect(stderr).toContain(why)
      expect(stderr).not.toContain('trying again')
    }
    source.boxes.delete('unreachable')
  })

  it('copies the other boxes and versions where one is declined', async () => {
    source.boxes.clear()
    source.boxes.set('mixed', [version('1.0.0+b1', provider()), version('2.0.0', provider())])
    source.boxes.set('-bad', [version('1.0.0', provider())])
    source.boxes.set('last', [version('1.0.0', provider())])
    const { code, stdout, stderr } = await mirror('alice')
    expect(stdout).toBe('2 images copied, 0 already there\n')
    expect(stderr).toContain('Version "1.0.0+b1" is invalid')
    expect(stderr).toContain('alice/-bad')
    expect(stderr).toContain('alice/gone: not found')
    expect(stderr).toContain('3 could not be copied')
    expect(code).toBe(1)
    expect(await versionsOf('mixed')).toEqual(['2.0.0 active'])
  })

  it('names the address that the other catalog redirects to', async () => {
    const { code, stderr } = await run(['box', 'mirror', `${source.url}/old`, 'alice', '--dry-run'])
    expect(code).toBe(1)
    expect(stderr).toContain('the server redirects to https://new.example/')
  })

  it('takes no web page for a catalog without boxes', async () => {
    const { code, stderr } = await run(['box', 'mirror', `${source.url}/page`, 'alice', '--dry-run'])
    expect([code, stderr]).toEqual([
      1,
      'plinth: alice: the answer is not that of a catalog; is the address right?\n',
    ])
  })
})
