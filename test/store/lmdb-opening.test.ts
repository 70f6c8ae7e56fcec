import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Rev } from '../../src/store/index.ts'
import { lmdbStore } from '../../src/store/lmdb/index.ts'
import { crashFaults, writers } from './history.ts'
import { type Workers, workers } from './processes.ts'

/*
 * A process that opens a realm sets back, for a moment, which of the engine's transactions is the newest, if another
 * process commits in between (LMDB's ITS#9496).
 */
let crew: Workers
let directory = ''
beforeAll(async () => {
  crew = await workers()
  directory = await mkdtemp(join(tmpdir(), 'plinth-opening-'))
})
afterAll(async () => {
  await crew.remove()
  await rm(directory, { recursive: true, force: true })
})

const put = (id: string) => ({ id, put: [{ key: 'a', value: id }] })

/** Takes one from the newest transaction in the lock file, as an opening does; a process's own descriptor would unlock it. */
const setBack = async (path: string): Promise<void> => {
  const program = `
    const fs = require('node:fs')
    const file = fs.openSync(process.argv[1], 'r+')
    const number = Buffer.alloc(8)
    fs.readSync(file, number, 0, 8, 8)
    number.writeBigUInt64LE(number.readBigUInt64LE() - 1n)
    fs.writeSync(file, number, 0, 8, 8)`
  await promisify(execFile)(process.execPath, ['-e', program, `${path}-lock`])
}

describe('a realm that other processes open while it is written', () => {
  it('loses no acknowledged commit', async () => {
    const store = await lmdbStore(directory, { realm: 'busy' })
    const acknowledged = new Map<string, Rev>()
    const load = writers(store, 'w', ([id, rev]) => acknowledged.set(id, rev)).catch(
      (error: unknown) => error,
    )
    const openers = [1, 2, 3].map(() => crew.start('open', 'lmdb', directory, 'busy', '', '', '600'))
    await Promise.all(openers.map((opener) => opener.finished()))
    // Of what comes after the look at the store, it says nothing.
    expect(await crashFaults(store, new Map(acknowledged))).toEqual([])
    await store.close()
    expect(String(await load)).toContain('the store was closed')
    expect(acknowledged.size).toBeGreaterThan(100)
  })

  it('keeps what was acknowledged, and shows it, when the newest transaction is set back', async () => {
    const store = await lmdbStore(directory, { realm: 'set-back' })
    for (const id of ['1', '2', '3']) await store.commit([put(id)])
    await setBack(store.path)
    const read = store.read((view) => view.get(['a']))
    const commit = store.commit([put('4')])
    // The next process that opens the realm repairs it.
    await crew.start('open', 'lmdb', directory, 'set-back', '', '', '0').finished()
    expect((await read)[0]?.value).toMatch(/^[34]$/)
    expect(await commit).toEqual([{ ok: true, rev: 4 }])
    expect(await store.commit(['1', '2', '3', '4'].map(put))).toEqual(
      [1, 2, 3, 4].map((rev) => ({ ok: true, rev })),
    )
    await store.close()
  })
})
