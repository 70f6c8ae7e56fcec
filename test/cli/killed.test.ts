import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { afterAll, describe, expect, it } from 'vitest'
import { cleanUp, folder, plinth } from './server.ts'

afterAll(cleanUp)

describe('a start', () => {
  it('removes the uploads of one that was killed, and of no other', async () => {
    const home = folder()
    const servers = await Promise.all(
      [1, 2].map(async () => {
        const server = plinth(['serve', '--json'], { TMPDIR: home })
        await once(server.child.stdout, 'data')
        return server
      }),
    )
    expect(readdirSync(home).length).toBe(2)
    servers[0]?.child.kill('SIGKILL')
    await servers[0]?.exited
    const third = plinth(['serve', '--json'], { TMPDIR: home })
    await once(third.child.stdout, 'data')
    expect(readdirSync(home).length).toBe(2)
    for (const server of [servers[1], third]) {
      server?.child.kill('SIGTERM')
      expect(await server?.exited).toBe(0)
    }
    expect(readdirSync(home)).toEqual([])
  })
})
