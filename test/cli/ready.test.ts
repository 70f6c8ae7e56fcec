import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { cleanUp, folder, start } from './server.ts'

afterAll(cleanUp)

describe('/ready', () => {
  it('is 503 while uploads cannot be stored, though every record can be read', async () => {
    const home = join(folder(), 'data')
    const { ready, stop } = await start('--only=catalog,gateway', '--data', home)
    const ask = async () => {
      const answer = await fetch(`${ready.gateway.url}/ready`)
      expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
      return [answer.status, await answer.json()]
    }
    expect(await ask()).toEqual([200, { ready: true, unreachable: [], unwritable: [] }])
    renameSync(join(home, 'blobs'), join(home, 'gone'))
    writeFileSync(join(home, 'blobs'), '')
    // The result of a probe is used for some seconds.
    await expect
      .poll(ask, { timeout: 60_000, interval: 500 })
      .toEqual([503, { ready: false, unreachable: [], unwritable: ['uploads'] }])
    expect((await fetch(`${ready.catalog.url}/api/v2/search`)).status).toBe(200)
    const metrics = await (await fetch(`${ready.gateway.url}/metrics`)).text()
    expect(metrics).toContain('plinth_open_transfers{service="catalog",direction="out"} 0')
    await stop()
  })
})
