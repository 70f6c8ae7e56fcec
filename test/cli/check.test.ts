import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { cleanUp, folder, run, start, startLimited } from './server.ts'

afterAll(cleanUp)

/** Data of a server with a pool of its own. */
async function filled(where: (folder: string) => string): Promise<string> {
  const data = where(folder())
  const server = await start('--data', data)
  const pool = { method: 'PUT', body: '{"Name":"gpu","Description":"four racks of them"}' }
  expect((await fetch(`${server.ready.scheduler.url}/v1/node/pool`, pool)).status).toBe(200)
  await server.stop()
  return data
}
const damage = (file: string) => {
  const bytes = readFileSync(file)
  for (let at = bytes.indexOf('four racks'); at >= 0; at = bytes.indexOf('four racks', at + 1))
    bytes.write('five', at)
  writeFileSync(file, bytes)
}

describe('plinth check', () => {
  it.each([
    ['a directory', (at: string) => at, (at: string) => join(at, 'plinth.db')],
    ['a SQLite file', (at: string) => `sqlite:${at}/data.sqlite`, (at: string) => at.slice('sqlite:'.length)],
  ])('says that %s is whole, and names what is damaged in it', async (_, where, fileOf) => {
    const data = await filled(where)
    const whole = await run(['check', '--data', data])
    expect([whole.code, whole.stderr]).toEqual([0, ''])
    expect(whole.stdout).toMatch(/^scheduler {2}revision \d+, \d+ entries, \d+ commits: whole$/m)
    damage(fileOf(data))
    const damaged = await run(['check', '--data', data])
    expect([damaged.code, damaged.stderr]).toEqual([1, ''])
    expect(damaged.stdout).toMatch(/^scheduler .*: damaged\n {2}the value of "pools\/gpu" is damaged/m)
    expect(damaged.stdout).toMatch(/^registry .*: whole$/m)
    const lines = (await run(['check', '--data', data, '--realm', 'scheduler', '--json'])).stdout.trim()
    expect(JSON.parse(lines)).toMatchObject({ realm: 'scheduler', faults: [expect.any(String)] })
  })

  it('names a damaged page', async () => {
    const data = await filled((at) => at)
    const file = join(data, 'plinth.db')
    const bytes = readFileSync(file)
    bytes.fill(0, 4096, 3 * 4096)
    writeFileSync(file, bytes)
    const damaged = await run(['check', '--data', data, '--realm', 'scheduler'])
    expect([damaged.code, damaged.stderr]).toEqual([1, ''])
    expect(damaged.stdout).toMatch(/^scheduler {2}damaged\n/)
  })

  it('refuses what it cannot look into', async () => {
    const none = await run(['check', '--data', join(folder(), 'none')])
    expect([none.code, none.stderr]).toEqual([
      1,
      expect.stringMatching(/^plinth: there is no data of a server in /),
    ])
    expect((await run(['check', '--data', 'memory'])).code).toBe(2)
  })
})

it('a server starts with 128 file descriptors, and says plainly when there are too few', async () => {
  const server = await startLimited(128, '--data', folder())
  expect(await server.stop()).toBe(0)
  await expect(startLimited(30, '--data', folder())).rejects.toThrow(/plinth: .*no file descriptors left/)
})
