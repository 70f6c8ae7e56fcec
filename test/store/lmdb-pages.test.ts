import { execFile } from 'node:child_process'
import { mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { metasOf } from '../../src/store/lmdb/file.ts'
import { lmdbStore } from '../../src/store/lmdb/index.ts'
import { findPageFault } from '../../src/store/lmdb/pages.ts'

/*
 * Damages a copy of a realm, seed by seed, and asks it everything, in a process of its own: the engine ends a process at
 * some damaged pages. PLINTH_DAMAGES=5000 tries more.
 */
const damages = Number(process.env['PLINTH_DAMAGES'] ?? 60)

const program = `
  import { readFileSync, rmSync, writeFileSync } from 'node:fs'
  import { isStoreError } from './src/store/index.ts'
  import { lmdbStore } from './src/store/lmdb/index.ts'

  const [directory, damages] = process.argv.slice(1)
  const whole = readFileSync(directory + '/whole.lmdb')
  const source = await lmdbStore(directory, { realm: 'whole' })
  const head = await source.head()
  const scan = (store, range) => store.read((view) => view.scan({ prefix: '', ...range }))
  const entries = await scan(source, {})
  const keys = entries.map(({ key }) => key)
  const questions = (store) => [
    () => store.head(),
    () => scan(store, {}),
    () => scan(store, { reverse: true }),
    () => scan(store, { after: keys[40], limit: 30 }),
    ...keys.filter((_, n) => n % 9 === 0).map((key) => () => store.read((view) => view.get([key]))),
    () => store.read((view) => view.get(['absent', 'job/absent', 'z'])),
    () => store.changes({ after: head - 40, prefixes: [''] }),
    () => store.changes({ after: head - 3, prefixes: [''] }),
    ...Array.from({ length: 8 }, (_, n) => () => store.commit([
      { id: 'more-' + n, expect: [{ key: 'new/' + n, rev: 0 }], put: [{ key: 'new/' + n, value: 'x'.repeat(n * 900) }] },
    ])),
    () => scan(store, { prefix: 'new/' }),
  ]
  const ask = async (question) => JSON.stringify(await question())
  const right = []
  for (const question of questions(source)) right.push(await ask(question))
  await source.close()
  for (let seed = 0; seed < Number(damages); seed += 1) {
    let state = seed * 7919 + 17
    const below = (n) => {
      state = (Math.imul(state, 1103515245) + 12345) >>> 0
      return Math.floor((state / 2 ** 32) * n)
    }
    below(1)
    const bytes = Buffer.from(whole)
    const page = below(10) === 0 ? below(2) : below(bytes.length / 4096)
    const kind = ['zeroed page', 'flipped bit', 'flipped bit of a header', 'noise'][seed % 4]
    const flip = (at) => { bytes[at] ^= 1 << below(8) }
    if (kind === 'zeroed page') bytes.fill(0, page * 4096, page * 4096 + 4096)
    else if (kind === 'noise') for (let n = 0; n < 512; n += 1) bytes[page * 4096 + (n ^ (seed & 2048))] = below(256)
    else flip(page * 4096 + below(kind === 'flipped bit' ? 4096 : page < 2 ? 160 : 80))
    const realm = 'damaged-' + seed
    const file = directory + '/' + realm + '.lmdb'
    writeFileSync(file, bytes)
    process.stdout.write(seed + ' ' + kind + ' in page ' + page + ': ')
    const faults = new Set()
    try {
      const store = await lmdbStore(directory, { realm })
      const asked = questions(store)
      for (const [n, question] of asked.entries())
        try {
          // The last question is about the commits before it, of which some may have been refused.
          const isKnown = n < asked.length - 1 || faults.size === 0
          const answer = await ask(question)
          if (isKnown && answer !== right[n]) faults.add('WRONG ' + question)
        } catch (error) {
          faults.add(isStoreError(error) ? error.code : 'RAW ' + error)
        }
      const check = await store.check().catch((error) => ({ faults: [error.code] }))
      if (faults.size > 0 && check.faults.length === 0) faults.add('UNSEEN by a check')
      await store.close()
    } catch (error) {
      faults.add(isStoreError(error) ? 'refused as ' + error.code : 'RAW ' + error)
    }
    console.log([...faults].join(', ') || 'fine')
    rmSync(file)
    rmSync(file + '-lock', { force: true })
  }
`

let directory = ''
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'plinth-pages-'))
})
afterAll(() => rm(directory, { recursive: true, force: true }))

/** A realm whose tables have branches, values on pages of their own, and free pages. */
async function fill(realm: string): Promise<string> {
  const store = await lmdbStore(directory, { realm, remember: 100 })
  for (let n = 0; n < 300; n += 10)
    await store.commit(
      Array.from({ length: 10 }, (_, each) => ({
        id: `commit-${n + each}`,
        put: [
          { key: `job/${((n + each) * 37) % 211}`, value: { n, text: 'y'.repeat((n * 7) % 300) } },
          ...(each === 0 ? [{ key: `big/${n % 90}`, value: 'z'.repeat(6_000 + n) }] : []),
        ],
        touch: ['~'],
        del: each === 5 ? [`job/${n % 100}x`] : [],
      })),
    )
  await store.close()
  return store.path
}

describe('the pages of an lmdb realm', () => {
  it('that are damaged give right answers or none, and end no process', async () => {
    await fill('whole')
    const node = ['--import', './scripts/ts-loader.mjs', '--input-type=module', '--eval', program]
    const { stdout } = await promisify(execFile)(process.execPath, [...node, directory, String(damages)], {
      cwd: join(import.meta.dirname, '../..'),
      maxBuffer: 2 ** 26,
    }).catch((error: Error & { stdout?: string; stderr?: string }) => ({
      stdout: `${error.stdout}ENDED ${error.stderr?.slice(0, 600).replaceAll('\n', ' ')}`,
    }))
    const lines = stdout.trim().split('\n')
    expect(lines.filter((line) => /WRONG|RAW|UNSEEN|ENDED/.test(line))).toEqual([])
    expect(lines).toHaveLength(damages)
    // Of the pages, more than half are in use.
    expect(lines.filter((line) => / corrupt|foreign/.test(line)).length).toBeGreaterThan(damages / 4)
  })

  it('are found whole while a realm is written, emptied, copied and reopened', async () => {
    const path = await fill('busy')
    expect(await findPageFault(path)).toBeUndefined()
    const store = await lmdbStore(directory, { realm: 'busy', remember: 10 })
    await store.backup(join(directory, 'copy.lmdb'))
    expect(await findPageFault(join(directory, 'copy.lmdb'))).toBeUndefined()
    const copy = await lmdbStore(directory, { realm: 'copy' })
    await copy.commit([{ id: 'first', touch: ['~'] }])
    await copy.close()
    for (const { key } of await store.read((view) => view.scan({ prefix: 'job/' })))
      await store.commit([{ id: key, del: [key] }])
    expect((await store.check()).faults).toEqual([])
    await store.close()
    expect(await findPageFault(path)).toBeUndefined()
    expect(await findPageFault(join(directory, 'copy.lmdb'))).toBeUndefined()
  })

  it('are not taken for whole when a page in use is listed as free', async () => {
    const path = await fill('listed')
    const file = await open(path, 'r+')
    const { newest } = await metasOf(file)
    const { free, main, pageSize = 0 } = newest ?? {}
    expect(free?.depth).toBe(1)
    // The first list: behind the page's header, the node's, and the number of the transaction that freed it.
    const page = Buffer.alloc(pageSize)
    const start = (free?.page ?? 0) * pageSize
    await file.read(page, 0, pageSize, start)
    const list = 24 + page.readUInt16LE(24) + 8 + 8
    page.writeBigUInt64LE(BigInt(main?.page ?? 0), list + 8)
    await file.write(page, 0, pageSize, start)
    await file.close()
    await expect(lmdbStore(directory, { realm: 'listed' })).rejects.toMatchObject({
      code: 'corrupt',
      message: `${path} is damaged (the list of free pages is damaged): restore a backup`,
    })
  })
})
