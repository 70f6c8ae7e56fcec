import { randomUUID } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Store, storeConformance } from '../../src/store/index.ts'

/** The store of the guide, out of the guide's own text. */
const guide = join(import.meta.dirname, '../../site/guide/write-your-own-store.md')
let directory = ''
let fileStore: (path: string) => Promise<Store>

beforeAll(async () => {
  directory = await mkdtemp(join(import.meta.dirname, '../../node_modules/.plinth-guide-'))
  const [, code = ''] = /```ts\n([\s\S]*?)```/.exec(await readFile(guide, 'utf8')) ?? []
  const file = join(directory, 'file-store.ts')
  const sources = join(import.meta.dirname, '../../src/store/index.ts')
  await writeFile(file, code.replace("'plinth/store'", JSON.stringify(sources)))
  const made = (await import(file)) as { readonly fileStore: typeof fileStore }
  fileStore = made.fileStore
})
afterAll(() => rm(directory, { recursive: true, force: true }))

describe('the store of the guide', () => {
  storeConformance(() => fileStore(join(directory, randomUUID())), {
    test: it,
    sequences: 3,
    rounds: 5,
  })

  it('keeps what was acknowledged across a reopening', async () => {
    const path = join(directory, 'realm')
    const store = await fileStore(path)
    await store.commit([{ id: '1', put: [{ key: 'a', value: 1 }] }])
    await store.close()
    const again = await fileStore(path)
    expect((await again.read((view) => view.get(['a'])))[0]?.value).toBe(1)
    expect(await again.commit([{ id: '2', put: [{ key: 'a', value: 2 }] }])).toEqual([{ ok: true, rev: 2 }])
  })
})
