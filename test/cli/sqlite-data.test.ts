import { chmodSync, readdirSync, renameSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { anyPort, cleanUp, folder, plinth, ready, type Server, start } from './server.ts'

/*
 * What an operator finds, and what happens to it, where a server keeps its data in a SQLite file.
 */
afterAll(cleanUp)

const withToken = ({ rootToken }: { readonly rootToken: string | null }) => ({
  'X-Secrets-Token': rootToken ?? '',
})
const write = ({ ready: { secrets } }: Server, path: string) =>
  fetch(`${secrets.url}/v1/secret/data/${path}`, {
    method: 'POST',
    headers: withToken(secrets),
    body: '{"data":{"a":1}}',
  })

describe('the files of a server and of its backups', () => {
  it("are their owner's alone, under a usual umask and in a folder that all may enter, of which it warns", async () => {
    const data = folder()
    chmodSync(data, 0o755)
    const usual = 'umask 022'
    for (const file of ['plinth.sqlite', '.']) {
      const at = file === '.' ? data : `sqlite:${join(data, file)}`
      const server = await ready(plinth(['serve', '--json', ...anyPort, '--data', at], {}, usual))
      expect((await write(server, 'a')).status).toBe(200)
      const saved = join(folder(), 'saved')
      const backup = plinth(['backup', '--data', at, saved], {}, usual)
      backup.child.stdin.end()
      expect([await backup.exited, backup.output().stderr]).toEqual([0, expect.not.stringContaining('Error')])
      const open = [data, saved].flatMap((top) =>
        readdirSync(top, { recursive: true, encoding: 'utf8' })
          .map((name) => join(top, name))
          .filter((path) => (statSync(path).mode & 0o077) !== 0),
      )
      expect(open).toEqual([])
      expect(statSync(saved).mode & 0o777).toBe(0o700)
      await server.stop()
      if (file === '.') expect(server.output().stderr).toContain(`other users may enter ${data}`)
    }
  })
})

describe('a file that is moved under a running server', () => {
  it('makes it refuse every request with 503 and a sentence, and not ready, until it is restarted', async () => {
    const file = join(folder(), 'plinth.sqlite')
    const flags = ['--data', `sqlite:${file}`, '--only', 'secrets,gateway']
    const server = await start(...flags)
    expect((await write(server, 'before')).status).toBe(200)
    const health = `${server.ready.gateway.url}/ready`
    expect((await fetch(health)).status).toBe(200)
    renameSync(file, `${file}.moved`)
    // It looks once a second.
    await expect.poll(async () => (await fetch(health)).status, { timeout: 60_000 }).toBe(503)
    const refused = await write(server, 'after')
    expect([refused.status, await refused.text()]).toEqual([
      503,
      expect.stringContaining('the files of the store were moved, removed or replaced'),
    ])
    expect(await server.stop()).toBe(0)
    expect(server.output().stderr).toContain(`${file} was moved, removed or replaced`)
    expect(readdirSync(join(file, '..')).filter((name) => name.endsWith('.sqlite-wal'))).toHaveLength(1)
    renameSync(`${file}.moved`, file)
    const again = await start(...flags)
    expect((await write(again, 'again')).status).toBe(200)
    await again.stop()
  })
})

/** One server initialises the keys, and one loads the demo data. */
const otherWasFirst = /was the first to initialise|another import .* has taken over|an import is in progress/

describe('two first starts at the same moment', () => {
  it('are one server: both have the same keys and users, or one says that the other was first', async () => {
    let bothRan = 0
    for (let round = 0; round < 4; round += 1) {
      const data = `sqlite:${join(folder(), 'plinth.sqlite')}`
      const tried = await Promise.allSettled(
        [1, 2].map(() => start('--data', data, ...(round % 2 === 0 ? [] : ['--demo']))),
      )
      const [first, second] = tried.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
      if (first === undefined) throw new Error(`neither started: ${JSON.stringify(tried)}`)
      for (const each of tried)
        if (each.status === 'rejected') expect(String(each.reason)).toMatch(otherWasFirst)
      if (second !== undefined) {
        bothRan += 1
        for (const [own, other] of [
          [first, second],
          [second, first],
        ] as const) {
          expect((await write(own, `${round}`)).status).toBe(200)
          const { secrets, catalog } = other.ready
          const read = await fetch(`${secrets.url}/v1/secret/data/${round}`, {
            headers: withToken(own.ready.secrets),
          })
          expect(read.status).toBe(200)
          const authorization = `Bearer ${own.ready.catalog.tokens['admin']}`
          const known = await fetch(`${catalog.url}/api/v1/authenticate`, { headers: { authorization } })
          expect(known.status).toBe(200)
        }
      }
      await Promise.all([first, second].map((server) => server?.stop()))
    }
    expect(bothRan).toBeGreaterThan(0)
  })
})
