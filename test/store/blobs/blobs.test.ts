import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import {
  link,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rename,
  rm,
  stat,
  truncate,
  writeFile,
} from 'node:fs/promises'
import { platform, tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { runInNewContext } from 'node:vm'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { directoryBlobs } from '../../../src/store/blobs/directory.ts'
import { makeDirectory } from '../../../src/store/blobs/make-directory.ts'
import { nodeHashing } from '../../../src/store/blobs/node-hashing.ts'
import { makeWorkFolder, sweepWorkFolders } from '../../../src/store/blobs/work-folder.ts'
import { type Blobs, memoryBlobs } from '../../../src/store/index.ts'
import { s3Blobs } from '../../../src/store/s3/index.ts'
import { sqliteStore } from '../../../src/store/sqlite/index.ts'
import { s3Server } from '../s3/s3-server.ts'

let directory = ''
let bucket: Awaited<ReturnType<typeof s3Server>>
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'plinth-blobs-'))
  bucket = await s3Server()
})
afterAll(async () => {
  await bucket.close()
  await rm(directory, { recursive: true, force: true })
})

async function* chunks(...pieces: readonly (string | Uint8Array)[]): AsyncIterable<Uint8Array> {
  for (const piece of pieces) yield typeof piece === 'string' ? Buffer.from(piece) : piece
}
const text = async (found: Awaited<ReturnType<Blobs['get']>>) => found && new Response(found.body).text()
const ids = async (blobs: Blobs) => {
  const found: string[] = []
  for await (const id of blobs.list()) found.push(id)
  return found.sort()
}

let folders = 0
const kinds: readonly (readonly [string, () => Promise<Blobs>])[] = [
  ['in memory', async () => memoryBlobs(nodeHashing)],
  [
    'in a directory',
    () => {
      folders += 1
      return directoryBlobs(join(directory, `${folders}`))
    },
  ],
  [
    'in a bucket',
    () => {
      folders += 1
      return s3Blobs({ client: bucket.client, bucket: bucket.name, prefix: `${folders}/` })
    },
  ],
]
describe.each(kinds)('blobs %s', (_, open) => {
  it('are kept whole, with size and digests, and read back in ranges', async () => {
    const blobs = await open()
    const written = await blobs.put('upload-1', chunks('hello ', 'world'), { digests: ['md5', 'sha256'] })
    const digest = (name: string) => createHash(name).update('hello world').digest('hex')
    expect(written).toEqual({ ok: true, size: 11, digests: { md5: digest('md5'), sha256: digest('sha256') } })
    expect(await text(await blobs.get('upload-1'))).toBe('hello world')
    expect((await blobs.get('upload-1', { start: 2, end: 4 }))?.size).toBe(11)
    const range = async (start?: number, end?: number) =>
      text(
        await blobs.get('upload-1', {
          ...(start === undefined ? {} : { start }),
          ...(end === undefined ? {} : { end }),
        }),
      )
    expect([
      await range(6),
      await range(0, 5),
      await range(3, 3),
      await range(99),
      await range(-5, 2),
    ]).toEqual(['world', 'hello', '', '', 'he'])
  })

  it('replace and delete', async () => {
    const blobs = await open()
    await blobs.put('a', chunks('one'))
    await blobs.put('a', chunks('two'))
    await blobs.put('b', chunks())
    expect(await text(await blobs.get('a'))).toBe('two')
    expect(await text(await blobs.get('b'))).toBe('')
    expect(await ids(blobs)).toEqual(['a', 'b'])
    expect([await blobs.delete('a'), await blobs.delete('a'), await blobs.get('a')]).toEqual([
      true,
      false,
      undefined,
    ])
  })

  it('are not kept when too large or interrupted, and existing ones stay', async () => {
    const blobs = await open()
    await blobs.put('a', chunks('old'))
    expect(await blobs.put('a', chunks('new and long'), { maxBytes: 5 })).toMatchObject({
      ok: false,
      refusal: { code: 'blob_too_large' },
    })
    const broken = async function* () {
      yield Buffer.from('new')
      throw new Error('the client went away')
    }
    await expect(blobs.put('a', broken())).rejects.toThrow('the client went away')
    expect(await text(await blobs.get('a'))).toBe('old')
  })

  it('refuse ids that could name something else', async () => {
    const blobs = await open()
    for (const id of ['', '../etc/passwd', 'a/b', '.hidden', 'a\u0000', 'é', 'x'.repeat(201)]) {
      await expect((async () => blobs.put(id, chunks('x')))()).rejects.toMatchObject({ code: 'invalid' })
      await expect((async () => blobs.get(id))()).rejects.toMatchObject({ code: 'invalid' })
    }
  })

  it('refuse a range of non-integers in every adapter', async () => {
    const blobs = await open()
    await blobs.put('a', chunks('hello'))
    expect(await text(await blobs.get('a', { start: 1, end: Number.POSITIVE_INFINITY }))).toBe('ello')
    for (const range of [{ start: Number.NaN }, { end: Number.NaN }, { start: 1.5 }, { start: 0, end: 2.5 }])
      await expect(blobs.get('a', range)).rejects.toMatchObject({ code: 'invalid' })
  })

  it('take bytes only, a limit only in bytes, and keep nothing otherwise', async () => {
    const blobs = await open()
    const texts = (async function* () {
      yield 'a stream that was told an encoding' as unknown as Uint8Array
    })()
    await expect(blobs.put('a', texts)).rejects.toThrow('a blob consists of Uint8Array chunks, not of string')
    await expect(blobs.put('a', chunks('x'), { maxBytes: Number.NaN })).rejects.toThrow('maxBytes is NaN')
    expect(await ids(blobs)).toEqual([])
  })

  it('take bytes of another realm, such as a test environment makes', async () => {
    const blobs = await open()
    const foreign: Uint8Array = runInNewContext('Uint8Array.of(104, 105)')
    await blobs.put(
      'a',
      (async function* () {
        yield foreign
      })(),
    )
    expect(foreign).not.toBeInstanceOf(Uint8Array)
    expect(await text(await blobs.get('a'))).toBe('hi')
  })

  it('stream megabytes', async () => {
    const blobs = await open()
    const megabyte = new Uint8Array(1 << 20).fill(7)
    await blobs.put('big', chunks(...Array.from({ length: 8 }, () => megabyte)))
    let size = 0
    for await (const chunk of (await blobs.get('big'))?.body ?? []) size += chunk.length
    expect(size).toBe(8 << 20)
  })
})

describe('a directory of blobs', () => {
  it.runIf(platform() === 'linux')('leaves no file open after a read or a write that failed', async () => {
    const home = join(directory, 'failing')
    const blobs = await directoryBlobs(home)
    const openFiles = async () => {
      const paths = await Promise.all(
        (await readdir('/proc/self/fd')).map((name) => readlink(`/proc/self/fd/${name}`).catch(() => '')),
      )
      return paths.filter((path) => path.startsWith(home))
    }
    // A directory can be opened as a file can, and then not be read: as a file on a failing disk.
    await mkdir(join(home, 'kept', 'fa', 'failing'), { recursive: true })
    const found = await blobs.get('failing')
    await expect(text(found)).rejects.toThrow('EISDIR')
    await expect(blobs.put('b', chunks('x'), { digests: ['none' as 'md5'] })).rejects.toThrow()
    await blobs.put('cut', chunks(new Uint8Array(1 << 20)))
    const cut = (await blobs.get('cut'))?.body.getReader()
    await cut?.read()
    await truncate(join(home, 'kept', 'cu', 'cut'), 300_000)
    const toTheEnd = async () => {
      while ((await cut?.read())?.done === false);
    }
    await expect(toTheEnd()).rejects.toThrow('became shorter')
    expect(await openFiles()).toEqual([])
    expect(await readdir(join(home, 'unfinished'))).toEqual([])
  })

  it('leaves no temporary files behind', async () => {
    const home = join(directory, 'tidy')
    const blobs = await directoryBlobs(home)
    await blobs.put('a', chunks('hello'))
    await blobs.put('b', chunks('too long'), { maxBytes: 1 })
    expect(await readdir(join(home, 'unfinished'))).toEqual([])
    expect(await readFile(join(home, 'kept', 'a', 'a'), 'utf8')).toBe('hello')
  })

  it('goes on after it was removed, also while an upload runs', async () => {
    const home = join(directory, 'vanishing')
    const blobs = await directoryBlobs(home)
    await rm(home, { recursive: true })
    expect(await blobs.put('a', chunks('hello'))).toMatchObject({ ok: true })
    let fail = (_: Error) => {}
    const held = blobs.put(
      'held',
      (async function* () {
        yield Buffer.from('some')
        await new Promise((_, reject) => {
          fail = reject
        })
      })(),
    )
    // The file of the upload, which is the last to be made.
    const isThere = async () =>
      (await readdir(join(home, 'unfinished'), { recursive: true })).some((name) => /\/\d+$/.test(name))
    while (!(await isThere())) await nextTurn()
    await rm(home, { recursive: true })
    expect(await blobs.put('b', chunks('again'))).toMatchObject({ ok: true })
    expect(await text(await blobs.get('b'))).toBe('again')
    fail(new Error('the client went away'))
    await expect(held).rejects.toThrow('the client went away')
  })

  it("is its owner's alone, whatever the umask", async () => {
    const home = join(directory, 'private')
    const umask = process.umask(0)
    try {
      await (await directoryBlobs(home)).put('a', chunks('hello'))
    } finally {
      process.umask(umask)
    }
    const modes = await Promise.all(
      ['', 'kept', 'kept/a', 'unfinished', 'kept/a/a'].map(
        async (name) => (await stat(join(home, name))).mode,
      ),
    )
    expect(modes.map((mode) => mode & 0o777)).toEqual([0o700, 0o700, 0o700, 0o700, 0o600])
  })

  it('says so when it cannot be written', async () => {
    await writeFile(join(directory, 'file'), 'x')
    await expect(directoryBlobs(join(directory, 'file'))).rejects.toMatchObject({
      code: 'denied',
      message: expect.stringContaining('is a file'),
    })
  })

  it('accepts many concurrently', async () => {
    const home = join(directory, 'many')
    const blobs = await directoryBlobs(home)
    const names = Array.from({ length: 20 }, (_, at) => `blob-${at}`)
    await Promise.all(names.map((name) => blobs.put(name, chunks(name))))
    expect(await Promise.all(names.map(async (name) => text(await blobs.get(name))))).toEqual(names)
    expect(await readdir(join(home, 'unfinished'))).toEqual([])
  })

  it('is not in the way of another one that writes under the same id', async () => {
    const home = join(directory, 'again')
    const env = () => ({ now: Date.now(), newId: () => 'same' })
    const [blobs, others] = [await directoryBlobs(home, { env }), await directoryBlobs(home, { env })]
    let goOn = () => {}
    const going = new Promise<void>((resolve) => {
      goOn = resolve
    })
    const slowly = async function* () {
      yield Buffer.from('one')
      await going
    }
    const slow = blobs.put('a', slowly())
    await others.put('a', chunks('two'))
    expect(await text(await blobs.get('a'))).toBe('two')
    goOn()
    await slow
    expect(await text(await blobs.get('a'))).toBe('one')
    expect(await readdir(join(home, 'unfinished'))).toEqual([])
  })

  it.each([
    ['a short path', 'killed'],
    ['a path that is too long for a socket', 'killed'.repeat(20)],
  ])('clears at once what a killed process left at %s, and nothing of one that lives', async (_, name) => {
    const home = join(directory, name)
    const blobs = await directoryBlobs(home)
    let goOn = () => {}
    const going = new Promise<void>((resolve) => {
      goOn = resolve
    })
    const mine = blobs.put(
      'mine',
      (async function* () {
        yield Buffer.from('all ')
        await going
        yield Buffer.from('there')
      })(),
    )
    const child = spawn(process.execPath, [
      '--import',
      join(import.meta.dirname, '../../../scripts/ts-loader.mjs'),
      join(import.meta.dirname, 'unfinished-upload.ts'),
      home,
    ])
    await once(child.stdout, 'data')
    expect((await readdir(join(home, 'unfinished'))).length).toBe(2)
    await directoryBlobs(home)
    expect((await readdir(join(home, 'unfinished'))).length).toBe(2)
    child.kill('SIGKILL')
    await once(child, 'close')
    const again = await directoryBlobs(home)
    expect((await readdir(join(home, 'unfinished'))).length).toBe(1)
    goOn()
    await mine
    expect(await text(await again.get('mine'))).toBe('all there')
    expect(await readdir(join(home, 'unfinished'))).toEqual([])
  })
})

describe('a folder for unfinished work', () => {
  const folderFor = async (...names: readonly string[]) => {
    const home = join(directory, ...names)
    await mkdir(home, { recursive: true })
    return home
  }

  const hour = 3_600_000
  const sweep = (home: string, later = 0) =>
    sweepWorkFolders(home, 'by-', { now: Date.now() + later, newId: () => '' })

  it.each([
    ['a short path', 'marked'],
    ['a path that is too long for a socket', 'marked'.repeat(20)],
  ])('outlives the sweeps of others, at %s, however old it is', async (_, name) => {
    const home = await folderFor(name)
    const { path, remove } = await makeWorkFolder(join(home, 'by-'))
    expect(await sweep(home)).toEqual([path])
    expect(await sweep(home, 48 * hour)).toEqual([path])
    expect(await readdir(home)).toEqual([basename(path)])
    await remove()
    expect(await readdir(home)).toEqual([])
  })

  it.each([
    ['whose process was killed before it was marked', undefined],
    ['of another machine', 'alive-elsewhere'],
  ])('%s is in use until it was not touched for an hour', async (what, socket) => {
    const home = await folderFor(what)
    const path = join(home, 'by-other')
    await mkdir(path)
    if (socket !== undefined) await writeFile(join(path, socket), '')
    expect(await sweep(home, 0.9 * hour)).toEqual([path])
    expect(await sweep(home, 1.1 * hour)).toEqual([])
    expect(await readdir(home)).toEqual([])
  })

  it.runIf(existsSync('/etc/machine-id'))(
    'of this machine before it was restarted is gone, and of another run elsewhere is in use',
    async () => {
      const home = await folderFor('restarted')
      const { path, remove } = await makeWorkFolder(join(home, 'by-'))
      const [own = ''] = await readdir(path)
      const machine = own.split('-')[1]
      for (const [name, socket] of [
        ['by-earlier', `alive-${machine}-00000000`],
        ['by-elsewhere', 'alive-11111111-00000000'],
        ['by-unnamed', 'alive-unnamed-00000000'],
      ] as const) {
        await mkdir(join(home, name))
        await writeFile(join(home, name, socket), '')
      }
      const inUse = [path, join(home, 'by-elsewhere'), join(home, 'by-unnamed')].sort()
      expect([...(await sweep(home))].sort()).toEqual(inUse)
      expect((await readdir(home)).map((name) => join(home, name)).sort()).toEqual(inUse)
      await remove()
    },
  )

  it('may vanish while others ask whether it is in use', async () => {
    const home = await folderFor('vanishing-work')
    for (let round = 0; round < 100; round += 1) await mkdir(join(home, `by-${round}`))
    await Promise.all([
      ...[1, 2, 3].map(() => sweep(home)),
      ...(await readdir(home)).map((name) => rm(join(home, name), { recursive: true })),
    ])
    expect(await sweep(home)).toEqual([])
  })

  it('of another container of this machine answers for its process, and is gone after that', async () => {
    const home = await folderFor('container')
    const { path, remove } = await makeWorkFolder(join(home, 'by-'))
    const [own = ''] = await readdir(path)
    const theirs = `alive-22222222-${own.split('-')[2]}`
    await rename(join(path, own), join(path, theirs))
    expect(await sweep(home, 48 * hour)).toEqual([path])
    const other = join(home, 'by-killed')
    await mkdir(other)
    await link(join(path, theirs), join(other, theirs))
    await remove()
    expect(await sweep(home)).toEqual([])
  })

  it('is touched every minute', async () => {
    const home = await folderFor('touched')
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
    const { path, remove } = await makeWorkFolder(join(home, 'by-'))
    const before = (await stat(path)).mtimeMs
    // Each touch is armed once the one before is on disk, which takes its own time.
    while ((await stat(path)).mtimeMs < before + 4 * 60_000) {
      await vi.advanceTimersByTimeAsync(60_000)
      await nextTurn()
    }
    vi.useRealTimers()
    await remove()
  })
})

describe('making a directory', () => {
  it('makes those above it, and says which was the first', async () => {
    const home = join(directory, 'made')
    expect(await makeDirectory(join(home, 'a', 'b'))).toBe(home)
    expect(await makeDirectory(join(home, 'a', 'b'))).toBeUndefined()
    // Of two at once, each says which was the first that it made itself.
    const made = await Promise.all([1, 2].map(() => makeDirectory(join(home, 'x', 'y', 'z'))))
    expect(made.filter((path) => path === join(home, 'x'))).toHaveLength(1)
    expect(await readdir(join(home, 'x', 'y'))).toEqual(['z'])
    expect(await makeDirectory('/')).toBeUndefined()
  })

  it.runIf(platform() === 'linux')('ends where none can be made, and says so', async () => {
    await expect(makeDirectory('/proc/none/deeper')).rejects.toMatchObject({ code: 'ENOENT' })
    await expect(makeDirectory('/proc/version/deeper')).rejects.toMatchObject({ code: 'ENOTDIR' })
    await expect(directoryBlobs('/proc/none')).rejects.toMatchObject({
      code: 'denied',
      message: 'cannot create the directory for uploads at /proc/none',
    })
    await expect(sqliteStore('/proc/none/a.sqlite')).rejects.toMatchObject({
      code: 'denied',
      message: expect.stringContaining('cannot create a directory in /proc'),
    })
  })
})
