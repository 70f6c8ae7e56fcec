import { existsSync, mkdirSync, renameSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { s3Server } from '../store/s3/s3-server.ts'
import { cleanUp, folder, plinth, ready, start } from './server.ts'

afterAll(cleanUp)

const unready = { ready: false, unreachable: [], unwritable: ['uploads'] }

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
      .toEqual([503, { ...unready, reasons: [expect.stringMatching(/^uploads: their directory is gone/)] }])
    expect((await fetch(`${ready.catalog.url}/api/v2/search`)).status).toBe(200)
    const metrics = await (await fetch(`${ready.gateway.url}/metrics`)).text()
    expect(metrics).toContain('plinth_open_transfers{service="catalog",direction="out"} 0')
    await stop()
  })

  it('is 503 while the directory of uploads is another one, and 200 once it is back', async () => {
    const home = join(folder(), 'data')
    const { ready, stop } = await start('--only=catalog,gateway', '--data', home)
    const status = async () => (await fetch(`${ready.gateway.url}/ready`)).status
    const becomes = (wanted: number) => expect.poll(status, { timeout: 60_000, interval: 500 }).toBe(wanted)
    const [there, away] = [join(home, 'blobs'), join(home, 'away')]
    renameSync(there, away)
    await becomes(503)
    expect(existsSync(there)).toBe(false)
    mkdirSync(there)
    expect(await status()).toBe(503)
    rmdirSync(there)
    renameSync(away, there)
    await becomes(200)
    await stop()
  })

  it('is 503 while the bucket is gone', async () => {
    const bucket = await s3Server()
    const where = `s3://${bucket.name}/a?endpoint=${bucket.endpoint}`
    const flags = ['--only=catalog,gateway', '--data', join(folder(), 'data'), '--blobs', where]
    const credentials = {
      AWS_ACCESS_KEY_ID: 'S3RVER',
      AWS_SECRET_ACCESS_KEY: 'S3RVER',
      AWS_REGION: 'us-east-1',
    }
    const { ready: at, stop } = await ready(plinth(['serve', '--json', ...flags], credentials))
    const ask = async () => {
      const answer = await fetch(`${at.gateway.url}/ready`)
      return [answer.status, await answer.json()]
    }
    expect(await ask()).toEqual([200, { ready: true, unreachable: [], unwritable: [] }])
    await bucket.client.deleteBucket({ Bucket: bucket.name })
    await expect.poll(ask, { timeout: 60_000, interval: 500 }).toEqual([
      503,
      {
        ...unready,
        reasons: [`uploads: the bucket ${bucket.name} is missing, or these credentials lack permission`],
      },
    ])
    await bucket.close()
    await stop()
  })
})
