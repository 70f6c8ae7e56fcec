import { afterAll, expect, it } from 'vitest'
import { freePort } from '../store/free-port.ts'
import { postgresServer } from '../store/postgres-server.ts'
import { tcpProxy } from '../store/tcp-proxy.ts'
import { cleanUp, folder, plinth, ready } from './server.ts'

afterAll(cleanUp)

it('a server answers 503 on every listener, with how far it is, while its data are slow to open', async () => {
  const database = await postgresServer({ fsync: 'off' })
  const address = await database.database()
  const link = await tcpProxy(Number(new URL(address).port))
  const [health, jobs] = [await freePort(), await freePort()]
  link.set('silent')
  const process = plinth([
    ...['serve', '--json', '--only=gateway,scheduler', '--blobs', folder()],
    ...['--data', address.replace(/:\d+\//, `:${link.port}/`)],
    ...['--gateway-port', String(health), '--scheduler-port', String(jobs)],
  ])
  const ask = async (port: number, path: string) => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`).catch(() => undefined)
    return (
      answer && [answer.status, answer.headers.get('retry-after'), await answer.json().catch(() => undefined)]
    )
  }
  const starting = [
    503,
    '1',
    { ready: false, starting: { service: expect.any(String), records: expect.any(Number) } },
  ]
  for (const [port, path] of [
    [health, '/health'],
    [health, '/ready'],
    [jobs, '/v1/jobs'],
  ] as const)
    await expect.poll(() => ask(port, path), { interval: 20 }).toEqual(starting)
  link.set('open')
  const server = await ready(process)
  expect((await ask(health, '/health'))?.[0]).toBe(200)
  expect(await ask(jobs, '/v1/jobs')).toEqual([200, null, []])
  expect(await server.stop()).toBe(0)
  await link.close()
  await database.stop()
})
