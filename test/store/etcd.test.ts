import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type EtcdOptions, etcdStore } from '../../src/store/etcd/index.ts'
import { type Store, StoreError, storeConformance } from '../../src/store/index.ts'
import { etcd, needing, openssl } from '../programs.ts'
import { type EtcdCluster, type EtcdSetting, etcdCluster } from './etcd-server.ts'
import { tcpProxy } from './tcp-proxy.ts'

describe(...needing('etcd', etcd), () => {
  let cluster: EtcdCluster
  beforeAll(async () => {
    cluster = await etcdCluster()
  })
  afterAll(() => cluster.stop())

  const realms = new WeakMap<Store, string>()
  let count = 0
  const open = async (realm: string, options = {}) => {
    const store = await etcdStore(cluster.urls, { realm, ...options })
    realms.set(store, realm)
    return store
  }
  const another = (store: Store) => open(realms.get(store) ?? '')
  const fresh = (options = {}) => {
    count += 1
    return open(`r${count}`, options)
  }

  describe('as a store', () => {
    storeConformance(() => fresh(), {
      test: it,
      peer: another,
      reopen: async (store) => {
        await store.close()
        return another(store)
      },
      retaining: (commits) => fresh({ remember: { commits } }),
      neighbours: 1,
      rounds: 20,
      sequences: 10,
    })
  })

  const cluster1 = async (setting?: EtcdSetting) => {
    const other = await etcdCluster(setting)
    onTestFinished(() => other.stop())
    return other
  }
  const serving = async (listener: RequestListener) => {
    const server = createServer(listener).listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => {
      server.closeAllConnections()
      server.close()
    })
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }
  const refusal = async (urls: readonly string[], options: Partial<EtcdOptions> = {}) => {
    const opened = await etcdStore(urls, {
      realm: 'refused',
      settleMs: 100,
      requestMs: 60_000,
      ...options,
    }).catch((error: unknown) => error)
    if (opened instanceof StoreError) return `${opened.code}: ${opened.message}`
    await (opened as Store).close()
    return 'none'
  }
  const command = (url: string, path: string, body: object) =>
    fetch(`${url}/v3/${path}`, { method: 'POST', body: JSON.stringify(body) })
  const base64 = (text: string) => Buffer.from(text).toString('base64')

  describe('at the start', () => {
    it('names an endpoint where nothing listens, or another program', async () => {
      expect(await refusal(['http://127.0.0.1:1'])).toMatch(/^unreachable: .*127\.0\.0\.1:1.*ECONNREFUSED/)
      const page = await serving((_, response) => response.end('<html>'))
      expect(await refusal([page])).toMatch(/^unsuitable: .*is it etcd 3\.4 or later/)
      const json = await serving((_, response) => response.end('{"ok":true}'))
      expect(await refusal([json])).toMatch(/^unsuitable: .*is etcd/)
    })

    it('refuses endpoints of two clusters', async () => {
      const other = await cluster1({ flags: ['--initial-cluster-token', 'other'] })
      expect(await refusal([...cluster.urls, ...other.urls])).toMatch(
        /^unsuitable: .*belongs to another cluster/,
      )
    })

    it('passes over an endpoint that is silent, and says so', async () => {
      const silent = await serving(() => undefined)
      const warnings: string[] = []
      const store = await etcdStore([silent, ...cluster.urls], {
        realm: 'beside-silence',
        requestMs: 300,
        onWarning: (text) => warnings.push(text),
      })
      expect(warnings).toEqual([`the endpoint ${silent.slice(7)} does not answer`])
      expect(await store.commit([{ id: 'a', put: [{ key: 'a', value: 1 }] }])).toEqual([{ ok: true, rev: 1 }])
      await store.close()
    })

    it('tells of a cluster without a majority', async () => {
      const other = await cluster1({ members: 3 })
      await other.members[1]?.kill()
      await other.members[2]?.kill()
      const warnings: string[] = []
      expect(
        await refusal(other.urls, { requestMs: 1_000, onWarning: (text) => warnings.push(text) }),
      ).toMatch(/^unreachable: .*a majority of its members/)
      expect(warnings.filter((text) => text.includes('does not answer'))).toHaveLength(2)
    })

    it('refuses the prefix of another program, and data of a later version', async () => {
      const [url = ''] = cluster.urls
      await command(url, 'kv/put', { key: base64('/registry/pods/a'), value: base64('x') })
      expect(await refusal(cluster.urls, { prefix: '/registry' })).toMatch(/^foreign: .*\/registry/)
      await command(url, 'kv/put', { key: base64('later/plinth'), value: base64('2') })
      expect(await refusal(cluster.urls, { prefix: 'later' })).toMatch(/^wrong_schema: .*format 2/)
    })

    it('refuses wrong users and passwords, and works with right ones', async () => {
      const other = await cluster1()
      const [url = ''] = other.urls
      await command(url, 'auth/user/add', { name: 'root', password: 'root' })
      await command(url, 'auth/role/add', { name: 'root' })
      await command(url, 'auth/user/grant', { user: 'root', role: 'root' })
      await command(url, 'auth/user/add', { name: 'plinth', password: 'right' })
      await command(url, 'auth/role/add', { name: 'plinth' })
      await command(url, 'auth/role/grant', {
        name: 'plinth',
        perm: { permType: 'READWRITE', key: base64('plinth/'), range_end: base64('plinth0') },
      })
      await command(url, 'auth/user/grant', { user: 'plinth', role: 'plinth' })
      await command(url, 'auth/enable', {})
      expect(await refusal(other.urls)).toMatch(/^denied: .*user and password/)
      expect(await refusal(other.urls, { user: 'plinth', password: 'wrong' })).toMatch(/^denied: /)
      expect(await refusal(other.urls, { user: 'plinth', password: 'right', prefix: 'else' })).toMatch(
        /^denied: /,
      )
      const right = { user: 'plinth', password: 'right', requestMs: 60_000, settleMs: 60_000 }
      const store = await etcdStore(other.urls, { realm: 'r', ...right })
      const large = 'x'.repeat(2_000_000)
      expect(await store.commit([{ id: '1', put: [{ key: 'a', value: large }] }])).toEqual([
        { ok: true, rev: 1 },
      ])
      expect((await store.read((view) => view.get(['a'])))[0]?.value).toBe(large)
      await store.close()
    })

    it(...needing('refuses wrong certificates, and works with right ones', openssl), async () => {
      const folder = mkdtempSync(join(tmpdir(), 'plinth-tls-'))
      onTestFinished(() => rmSync(folder, { recursive: true }))
      const ssl = (...args: readonly string[]) =>
        execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' })
      const authority = (name: string) =>
        ssl(
          'req',
          '-x509',
          '-newkey',
          'rsa:2048',
          '-nodes',
          '-days',
          '2',
          '-subj',
          `/CN=${name}`,
          '-keyout',
          `${name}.key`,
          '-out',
          `${name}.pem`,
        )
      writeFileSync(join(folder, 'names'), 'subjectAltName=IP:127.0.0.1')
      const signed = (name: string, by: string) => {
        ssl(
          'req',
          '-newkey',
          'rsa:2048',
          '-nodes',
          '-subj',
          `/CN=${name}`,
          '-keyout',
          `${name}.key`,
          '-out',
          `${name}.csr`,
        )
        ssl(
          'x509',
          '-req',
          '-in',
          `${name}.csr`,
          '-CA',
          `${by}.pem`,
          '-CAkey',
          `${by}.key`,
          '-CAcreateserial',
          '-days',
          '2',
          '-extfile',
          'names',
          '-out',
          `${name}.pem`,
        )
      }
      authority('right')
      authority('wrong')
      signed('server', 'right')
      signed('client', 'right')
      signed('stranger', 'wrong')
      const text = (file: string) => readFileSync(join(folder, file), 'utf8')
      const other = await cluster1({
        scheme: 'https',
        flags: [
          ...['--cert-file', join(folder, 'server.pem'), '--key-file', join(folder, 'server.key')],
          ...['--client-cert-auth', '--trusted-ca-file', join(folder, 'right.pem')],
        ],
      })
      const own = { ca: text('right.pem'), cert: text('client.pem'), key: text('client.key') }
      const store = await etcdStore(other.urls, { realm: 'r', tls: own, requestMs: 60_000, settleMs: 60_000 })
      expect(await store.commit([{ id: '1', put: [{ key: 'a', value: 1 }] }])).toEqual([{ ok: true, rev: 1 }])
      await store.close()
      expect(await refusal(other.urls)).toMatch(/^denied: TLS/)
      expect(await refusal(other.urls, { tls: { ca: own.ca } })).toMatch(/^denied: TLS/)
      const stranger = { ca: own.ca, cert: text('stranger.pem'), key: text('stranger.key') }
      expect(await refusal(other.urls, { tls: stranger })).toMatch(/^denied: TLS/)
    })
  })

  it('refuses commits when its quota is reached, whole, and goes on once there is space', async () => {
    const other = await cluster1({ flags: ['--quota-backend-bytes', String(12 * 1024 * 1024)] })
    const store = await etcdStore(other.urls, { realm: 'full', compactMs: false })
    const pair = (id: string, bytes: number) => ({
      id,
      put: [`${id}-left`, `${id}-right`].map((key) => ({ key, value: 'x'.repeat(bytes) })),
    })
    let [count, error]: [number, unknown] = [0, undefined]
    while (error === undefined) {
      error = await store.commit([pair(`c${count}`, 900_000)]).then(
        () => undefined,
        (thrown: unknown) => thrown,
      )
      if (error === undefined) count += 1
    }
    expect(error).toMatchObject({ code: 'disk_full', message: expect.stringContaining('quota') })
    expect(await store.head()).toBe(count)
    const kept = await store.read((view) => view.scan({ prefix: 'c' }))
    expect(kept).toHaveLength(2 * count)
    const [url = ''] = other.urls
    const { header } = (await (await command(url, 'kv/range', { key: base64('a') })).json()) as {
      readonly header: { readonly revision: string }
    }
    await command(url, 'kv/compaction', { revision: header.revision, physical: true })
    await command(url, 'maintenance/defragment', {})
    const { alarms = [] } = (await (await command(url, 'maintenance/alarm', { action: 'GET' })).json()) as {
      readonly alarms?: readonly object[]
    }
    for (const alarm of alarms) await command(url, 'maintenance/alarm', { ...alarm, action: 'DEACTIVATE' })
    const next = { id: `c${count}`, put: [{ key: 'after', value: 1 }], again: true }
    expect(await store.commit([next])).toEqual([{ ok: true, rev: count + 1 }])
    await store.close()
  })

  it('refuses answers from before what it has seen, as of a member that was restored', async () => {
    const [url = ''] = cluster.urls
    let isStale = false
    const lying = await serving(async (request, response) => {
      const body = Buffer.concat(await request.toArray())
      const answer = await fetch(`${url}${request.url}`, { method: 'POST', body })
      const text = request.url?.includes('watch') ? '{}' : await answer.text()
      response.statusCode = answer.status
      response.end(isStale ? text.replace(/"revision":"\d+"/g, '"revision":"1"') : text)
    })
    const store = await etcdStore([lying], { realm: 'lied-to', settleMs: 100 })
    await store.commit([{ id: '1', put: [{ key: 'a', value: 1 }] }])
    isStale = true
    await expect(store.head()).rejects.toThrow(/answers from revision 1, and \d+ was seen/)
    await expect(store.commit([{ id: '2', put: [{ key: 'a', value: 2 }] }])).rejects.toMatchObject({
      code: 'unreachable',
    })
    await store.close()
  })

  it('settles a commit whose answer was lost: it is done once', async () => {
    const proxy = await tcpProxy(Number(new URL(cluster.urls[0] ?? '').port))
    onTestFinished(() => proxy.close())
    const store = await etcdStore([`http://127.0.0.1:${proxy.port}`], {
      realm: 'lost-answers',
      requestMs: 200,
    })
    const commits = Array.from({ length: 30 }, async (_, at) => {
      const [verdict] = await store.commit([{ id: `l${at}`, put: [{ key: `k${at}`, value: at }] }])
      return verdict
    })
    proxy.set('torn')
    await new Promise((resolve) => setTimeout(resolve, 50))
    proxy.set('open')
    for (const verdict of await Promise.all(commits)) expect(verdict?.ok).toBe(true)
    expect(await store.head()).toBe(30)
    await store.close()
  })

  it('stores a batch of many commits with long ids', async () => {
    const store = await fresh()
    const batch = Array.from({ length: 1_200 }, (_, at) => ({
      id: String(at).padStart(200, '-'),
      put: [{ key: `k${at}`, value: at }],
    }))
    const verdicts = await store.commit(batch)
    expect(verdicts.map(({ ok, rev }) => ok && rev)).toEqual(batch.map((_, at) => at + 1))
    await store.close()
  })

  it('asks until settleMs is over whether a commit was done whose answer was lost, and not longer', async () => {
    const [url = ''] = cluster.urls
    let [isOpen, hasWritten, asked] = [false, false, 0]
    const losing = await serving(async (request, response) => {
      const body = Buffer.concat(await request.toArray())
      if (hasWritten && request.url === '/v3/kv/txn') asked += 1
      hasWritten ||= isOpen && body.includes('"compare"')
      if (hasWritten) return
      const answer = await fetch(`${url}${request.url}`, { method: 'POST', body })
      if (request.url !== '/v3/watch') response.end(await answer.text())
    })
    const store = await etcdStore([losing], { realm: 'lost-for-ever', requestMs: 100, settleMs: 150 })
    isOpen = true
    await expect(store.commit([{ id: '1', put: [{ key: 'a', value: 1 }] }])).rejects.toMatchObject({
      code: 'unknown',
    })
    expect(asked).toBeLessThanOrEqual(1)
    await store.close()
  })

  it('a follower hears of commits although the endpoint of its watch is cut off', async () => {
    const proxy = await tcpProxy(Number(new URL(cluster.urls[0] ?? '').port))
    onTestFinished(() => proxy.close())
    const follower = await etcdStore([`http://127.0.0.1:${proxy.port}`, ...cluster.urls], {
      realm: 'followed',
      requestMs: 200,
      pollMs: 100,
    })
    const writer = await open('followed')
    proxy.set('silent')
    for (const at of [1, 2, 3]) {
      const waiting = follower.changes({ after: at - 1, prefixes: [''], waitMs: 60_000 })
      await writer.commit([{ id: `f${at}`, put: [{ key: 'a', value: at }] }])
      expect((await waiting).rev).toBe(at)
    }
    await follower.close()
    await writer.close()
  })
})
