import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'

/** Fills a store whose files may not grow past half a mebibyte, which fails the engine's writes as a full disk does. */
const program = `
  import { lmdbStore } from './src/store/lmdb/index.ts'

  const store = await lmdbStore(process.argv[1], { realm: 'full' })
  const tell = (line) => console.log(JSON.stringify(line))
  let acknowledged = 0
  const write = async (n) => {
    const [verdict] = await store.commit([{ id: String(n), put: [{ key: 'k' + n, value: 'x'.repeat(3000) }] }])
    if (verdict.ok) acknowledged += 1
  }
  const all = await Promise.allSettled(Array.from({ length: 400 }, (_, n) => write(n)))
  for (let n = 400; n < 800; n += 1) all.push(...(await Promise.allSettled([write(n)])))
  const refusals = all.filter(({ status }) => status === 'rejected').map(({ reason }) => reason)
  tell([...new Set(refusals.map(({ code }) => code))])
  tell(refusals[0].message)
  tell(acknowledged === (await store.head()))
  tell(acknowledged === (await store.read((view) => view.scan({ prefix: 'k' }))).length)
  await store.close()
`

it('refuses commits that the disk does not take, keeps what it acknowledged, and lets the process live', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'plinth-full-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  const limited = `trap '' XFSZ; ulimit -f 512; exec "$@"`
  const node = [process.execPath, '--import', './scripts/ts-loader.mjs', '--input-type=module', '--eval']
  const { stdout } = await promisify(execFile)('bash', ['-c', limited, 'bash', ...node, program, directory], {
    cwd: join(import.meta.dirname, '../..'),
  })
  const [codes, message, ...kept] = stdout
    .trim()
    .split('\n')
    .map((line): unknown => JSON.parse(line))
  // The limit cuts a write short, which the engine calls an input/output error; a full disk is `disk_full`.
  expect(codes).toEqual(['unknown'])
  expect(message).toMatch(/full\.lmdb: .*Input\/output error/)
  expect(kept).toEqual([true, true])
})
