import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { etcd, needing } from '../programs.ts'
import { type EtcdCluster, etcdCluster } from '../store/etcd-server.ts'
import { cleanUp, folder, run, start } from './server.ts'

describe(...needing('plinth serve --data etcd://…', etcd), () => {
  let cluster: EtcdCluster
  beforeAll(async () => {
    cluster = await etcdCluster({ members: 3 })
  })
  afterAll(async () => {
    cleanUp()
    await cluster.stop()
  })
  const at = (prefix: string) => `etcd://${cluster.urls.map((url) => url.slice(7)).join(',')}/${prefix}`
  const only = ['--only', 'scheduler']

  it('two servers share the data, and go on when a member of the cluster dies', async () => {
    const data = at('shared')
    const [one, other] = [await start(...only, '--data', data), await start(...only, '--data', data)]
    const pool = (server: typeof one, name: string) => `${server.ready.scheduler.url}/v1/node/pool/${name}`
    expect((await fetch(pool(one, 'gpu'), { method: 'PUT', body: '{"Name":"gpu"}' })).status).toBe(200)
    expect((await fetch(pool(other, 'gpu'))).status).toBe(200)
    await cluster.members[0]?.kill()
    expect((await fetch(pool(other, 'cpu'), { method: 'PUT', body: '{"Name":"cpu"}' })).status).toBe(200)
    expect((await fetch(pool(one, 'cpu'))).status).toBe(200)
    cluster.members[0]?.start()
    await cluster.ready()
    expect(await one.stop()).toBe(0)
    expect(await other.stop()).toBe(0)
    const again = await start(...only, '--data', data)
    expect((await fetch(pool(again, 'gpu'))).status).toBe(200)
    await again.stop()
  })

  it('is saved and restored, into other data as well, but not under a running server', async () => {
    const [data, saved] = [at('saved'), join(folder(), 'backup')]
    const server = await start(...only, '--data', data)
    const url = `${server.ready.scheduler.url}/v1/node/pool/gpu`
    expect((await fetch(url, { method: 'PUT', body: '{"Name":"gpu"}' })).status).toBe(200)
    expect((await run(['backup', '--data', data, saved])).code).toBe(0)
    expect(await run(['restore', '--data', data, saved])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('a server runs on etcd://'),
    })
    await server.stop()
    for (const target of [at('restored'), `sqlite:${join(folder(), 'x.db')}`]) {
      expect((await run(['restore', '--data', target, saved])).code).toBe(0)
      const checked = await run(['check', '--data', target])
      expect(checked.stdout).toMatch(/^scheduler +revision [1-9]\d*, .*: whole$/m)
    }
  })

  it.each([
    ['etcd://', 'names an endpoint without host and port'],
    ['etcd://one:2379,two', 'names an endpoint without host and port'],
    ['etcd://one:2379/a%20b', 'has a prefix of other than'],
    ['etcd://one:2379/a?ssl=true', 'does not take ssl'],
    ['etcd://one:2379/a?cert=./c.pem', 'takes cert and key together'],
    ['etcd://me@one:2379/a', 'has a user without a password'],
    ['etcd://me:s3cret@one:2379/a?ca=/none', 'cannot read /none, the ca of --data'],
  ])('%s is refused before the ports', async (data, why) => {
    const port = new URL(cluster.urls[0] ?? '').port
    const { code, stderr } = await run(['serve', '--data', data, '--scheduler-port', port])
    expect(stderr).toContain(why)
    expect(stderr).not.toContain('s3cret')
    expect(code).not.toBe(0)
  })
})
