import { createHash, randomBytes } from 'node:crypto'
import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { ownerBlob } from '../../../src/store/blobs/owned-blobs.ts'
import { cleanUp, folder, type Plinth, plinth, run, type Server, start } from '../server.ts'
import { front, type Passed } from './faulty-front.ts'

afterAll(cleanUp)

const bytes = randomBytes(8 * 1024 * 1024)
const sha256Of = (content: Buffer) => createHash('sha256').update(content).digest('hex')
const sha256 = sha256Of(bytes)

/** A catalog with a folder of its own, so that it can be killed and started again. */
async function catalog(url?: string) {
  const data = join(folder(), 'data')
  const flags = ['--only=catalog', '--data', data, ...(url === undefined ? [] : ['--catalog-url', url])]
  const server = await start(...flags, '--catalog-user=alice:password-1', '--catalog-user=admin:password-1')
  return {
    server,
    data,
    token: String(server.ready.catalog.tokens['alice']),
    again: () => start(...flags),
  }
}

const urlOf = (server: Server): string => server.ready.catalog.url

/** The files of the images that a catalog keeps in its folder. */
const blobsOf = (data: string): readonly string[] =>
  readdirSync(join(data, 'blobs', 'kept'), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && entry.name !== ownerBlob)
    .map(({ parentPath, name }) => join(parentPath, name))

async function push(
  to: Awaited<ReturnType<typeof catalog>>,
  box: string,
  version = '1.0.0',
  ...more: readonly string[]
) {
  const file = join(folder(), 'base.box')
  writeFileSync(file, bytes)
  const words = [box, version, file, '--provider=virtualbox', '--architecture=amd64', ...more]
  const pushed = await run(['box', 'push', ...words, '--to', urlOf(to.server)], { CATALOG_TOKEN: to.token })
  expect(pushed).toMatchObject({ code: 0 })
}

const mirror = (from: string, to: string, token: string, tmp: string, ...more: readonly string[]) =>
  plinth(['box', 'mirror', from, 'alice', '--to', to, ...more], { CATALOG_TOKEN: token, TMPDIR: tmp })

/** Waits until the way is cut off; a mirror that ends before is a failure. */
const cutOrOver = (cut: Promise<void>, { exited, output }: Plinth) =>
  Promise.race([cut, exited.then(() => Promise.reject(new Error(output().stderr)))])

/** Whether anyone can fetch the image, and is given its bytes; the status where there are none. */
async function fetched(server: Server, box = 'base'): Promise<'whole' | 'other bytes' | number> {
  const path = `/alice/boxes/${box}/versions/1.0.0/providers/virtualbox/amd64/vagrant.box`
  const answer = await fetch(`${urlOf(server)}${path}`)
  if (!answer.ok) return answer.status
  // Compared as a whole: the matchers go byte by byte.
  return Buffer.from(await answer.arrayBuffer()).equals(bytes) ? 'whole' : 'other bytes'
}

const images = (passed: readonly Passed[]) =>
  passed.filter(({ method, path }) => method === 'GET' && path.endsWith('.box'))

describe('plinth box mirror', () => {
  it('resumes when the other catalog is killed in between and restarted', async () => {
    const from = await catalog()
    const way = await front(urlOf(from.server))
    await from.server.stop()
    const source = await start('--only=catalog', '--data', from.data, '--catalog-url', way.url)
    way.leadTo(urlOf(source))
    await push({ ...from, server: source }, 'alice/base')
    const to = await catalog()
    const tmp = folder()
    const cut = way.cutAfter({ answered: 3_000_000 })
    const mirroring = mirror(way.url, urlOf(to.server), to.token, tmp)
    await cutOrOver(cut, mirroring)
    source.child.kill('SIGKILL')
    await source.exited
    expect(await fetched(to.server)).toBe(404)
    const again = await start('--only=catalog', '--data', from.data, '--catalog-url', way.url)
    way.leadTo(urlOf(again))
    expect([await mirroring.exited, mirroring.output().stdout]).toEqual([
      0,
      '1 images copied, 0 already there\n',
    ])
    expect(mirroring.output().stderr).toContain('trying again')
    const rest = images(way.passed).at(-1)
    expect(rest?.range).toMatch(/^bytes=[1-9]\d+-$/)
    expect(await fetched(to.server)).toBe('whole')
    const nothing = mirror(way.url, urlOf(to.server), to.token, tmp)
    await nothing.exited
    expect(nothing.output().stdout).toBe('0 images copied, 1 already there\n')
    expect(readdirSync(join(tmp, readdirSync(tmp)[0] ?? ''))).toEqual([])
    way.close()
  })

  it('sends an image again when its own catalog is killed while it comes', async () => {
    const from = await catalog()
    await push(from, 'alice/base')
    const way = await front('')
    const to = await catalog(way.url)
    way.leadTo(urlOf(to.server))
    const cut = way.cutAfter({ sent: 3_000_000 })
    const mirroring = mirror(urlOf(from.server), way.url, to.token, folder())
    await cutOrOver(cut, mirroring)
    to.server.child.kill('SIGKILL')
    await to.server.exited
    const again = await to.again()
    expect(await fetched(again)).toBe(404)
    const unfinished = readdirSync(join(to.data, 'blobs', 'unfinished'))
    expect(unfinished).toEqual([])
    way.leadTo(urlOf(again))
    expect([await mirroring.exited, mirroring.output().stdout]).toEqual([
      0,
      '1 images copied, 0 already there\n',
    ])
    expect(await fetched(again)).toBe('whole')
    way.close()
  })

  it('resumes when it is killed itself and run again', async () => {
    const from = await catalog()
    const way = await front(urlOf(from.server))
    await from.server.stop()
    const source = await start('--only=catalog', '--data', from.data, '--catalog-url', way.url)
    way.leadTo(urlOf(source))
    await push({ ...from, server: source }, 'alice/base')
    const to = await catalog()
    const tmp = folder()
    const cut = way.cutAfter({ answered: 3_000_000 })
    const first = mirror(way.url, urlOf(to.server), to.token, tmp)
    await cutOrOver(cut, first)
    first.child.kill('SIGKILL')
    await first.exited
    way.leadTo(urlOf(source))
    const second = mirror(way.url, urlOf(to.server), to.token, tmp)
    expect([await second.exited, second.output().stdout]).toEqual([0, '1 images copied, 0 already there\n'])
    expect(images(way.passed).at(-1)?.range).toMatch(/^bytes=[1-9]\d+-$/)
    expect(await fetched(to.server)).toBe('whole')
    way.close()
  })

  it('waits when requested, and retries when a server has a problem', async () => {
    const from = await catalog()
    await push(from, 'alice/base')
    const way = await front(urlOf(from.server))
    const statuses = [429, 503, 502]
    way.answerInstead((_, answer) => {
      const status = statuses.shift()
      if (status !== undefined) answer.writeHead(status, { 'retry-after': '0' }).end('not json')
      return status !== undefined
    })
    const to = await catalog()
    const mirroring = mirror(way.url, urlOf(to.server), to.token, folder())
    expect(await mirroring.exited).toBe(0)
    expect(mirroring.output().stderr).toMatch(/status 429 from .*\nstatus 503 from .*\nstatus 502 from /)
    expect(await fetched(to.server)).toBe('whole')
    way.close()
  })

  it('refuses bytes with the wrong checksum, and copies the rest', async () => {
    const from = await catalog()
    const way = await front(urlOf(from.server))
    await from.server.stop()
    const source = await start('--only=catalog', '--data', from.data, '--catalog-url', way.url)
    way.leadTo(urlOf(source))
    for (const box of ['alice/base', 'alice/other']) await push({ ...from, server: source }, box)
    way.answerInstead(({ url = '' }, answer) => {
      const isSpoiled = url.includes('/boxes/base/')
      if (isSpoiled) answer.writeHead(200, { 'content-length': '5' }).end('wrong')
      return isSpoiled
    })
    const to = await catalog()
    const mirroring = mirror(way.url, urlOf(to.server), to.token, folder())
    expect(await mirroring.exited).toBe(1)
    const { stdout, stderr } = mirroring.output()
    expect(stdout).toBe('1 images copied, 0 already there\n')
    expect(stderr).toContain(`do not have the sha256 checksum ${sha256}`)
    expect(stderr).toContain('1 could not be copied')
    expect(await fetched(to.server)).toBe(404)
    expect(await fetched(to.server, 'other')).toBe('whole')
    const seen = await fetch(`${urlOf(to.server)}/api/v2/box/alice/base`)
    expect(await seen.json()).toMatchObject({ current_version: null })
    way.close()
  })

  it('--verify reads the copies: it names an image whose bytes changed on the disk', async () => {
    const [from, to] = [await catalog(), await catalog()]
    for (const box of ['alice/base', 'alice/other']) await push(from, box)
    const mirrored = mirror(urlOf(from.server), urlOf(to.server), to.token, folder())
    expect(await mirrored.exited).toBe(0)
    const verify = async () => {
      const verifying = mirror(urlOf(from.server), urlOf(to.server), to.token, folder(), '--verify')
      return [await verifying.exited, verifying.output().stdout]
    }
    expect(await verify()).toEqual([0, '2 images are the same, 0 differences\n'])
    const kept = blobsOf(to.data)
    const [spoiled = ''] = kept
    const other = Buffer.from(bytes)
    other.writeUInt8(other.readUInt8(5_000_000) ^ 1, 5_000_000)
    writeFileSync(spoiled, other)
    expect(kept).toHaveLength(2)
    expect(await verify()).toEqual([
      1,
      expect.stringMatching(
        new RegExp(
          `^alice/(?:base|other) 1\\.0\\.0 virtualbox amd64: its bytes have the sha256 checksum ${sha256Of(other)}, not ${sha256}\n1 images are the same, 1 differences\n$`,
        ),
      ),
    ])
    rmSync(spoiled)
    expect(await verify()).toEqual([
      1,
      expect.stringMatching(/^alice\/\w+ 1\.0\.0 virtualbox amd64: its bytes are missing\n1 images/),
    ])
  })

  it('says that private boxes are not seen without credentials', async () => {
    const [from, to] = [await catalog(), await catalog()]
    await push(from, 'alice/base')
    await push(from, 'alice/hidden', '1.0.0', '--private')
    const mirroring = mirror(urlOf(from.server), urlOf(to.server), to.token, folder())
    expect([await mirroring.exited, mirroring.output().stdout]).toEqual([
      0,
      '1 images copied, 0 already there\n',
    ])
    expect(mirroring.output().stderr).toMatch(
      /note: without credentials only the public boxes of alice were seen; for private ones set HCP_CLIENT_ID/,
    )
    const env = { CATALOG_TOKEN: to.token, FROM: from.token }
    const words = ['box', 'mirror', urlOf(from.server), 'alice', '--to', urlOf(to.server)]
    const whole = await run([...words, '--source-token-env', 'FROM'], env)
    expect(whole).toMatchObject({ code: 0, stdout: '1 images copied, 1 already there\n' })
    expect(whole.stderr).not.toContain('note:')
  })
})
