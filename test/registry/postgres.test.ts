import postgres from 'postgres'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { unwrap } from '../../src/kernel/index.ts'
import { createRegistry, type Registry } from '../../src/registry/index.ts'
import { postgresStore } from '../../src/store/postgres/index.ts'
import { type PostgresServer, postgresServer } from '../store/postgres-server.ts'

const vpc = { namespace: 'acme', name: 'vpc', provider: 'aws' }
const source = 'https://example.com/x.zip'

describe('two registries on one PostgreSQL database', () => {
  let server: PostgresServer
  const ends: (() => Promise<unknown>)[] = []
  const registries: Registry[] = []
  beforeAll(async () => {
    server = await postgresServer({ fsync: 'off' })
    const url = await server.database()
    for (let each = 0; each < 2; each += 1) {
      const sql = postgres(url, { max: 4, onnotice: () => undefined })
      const store = await postgresStore(sql, { realm: 'registry' })
      const registry = createRegistry({ store })
      registries.push(registry)
      ends.unshift(registry.close, store.close, () => sql.end({ timeout: 1 }))
    }
  })
  afterAll(async () => {
    for (const end of ends) await end()
    await server.stop()
  })

  it('agree on everything either of them does', async () => {
    const [one, two] = registries
    if (!one || !two) throw new Error('two registries were opened')
    expect((await two.list()).total).toBe(0)
    unwrap(await one.load({ modules: [{ ...vpc, downloads: 7, versions: [{ version: '1.0.0', source }] }] }))
    expect((await two.list()).rows).toMatchObject([{ ...vpc, version: '1.0.0', downloads: 7 }])
    expect(await two.load({ modules: [] })).toMatchObject({ refusal: { code: 'not_empty' } })

    const minors = Array.from({ length: 20 }, (_, minor) => `1.${minor % 10}.1`)
    const published = await Promise.all(
      minors.map((version, at) => (at % 2 === 0 ? one : two).publishVersion(vpc, { version, source })),
    )
    expect(published.filter(({ ok }) => ok)).toHaveLength(10)
    expect(unwrap(await one.readModule(vpc)).versions).toHaveLength(11)
    expect(unwrap(await one.listVersions(vpc)).versions.map(({ number }) => number)).toEqual(
      unwrap(await two.readModule(vpc)).versions,
    )

    await Promise.all(Array.from({ length: 60 }, (_, at) => (at % 2 === 0 ? one : two).download(vpc, '1.0')))
    await Promise.all([one.downloads(vpc), two.downloads(vpc)])
    expect(unwrap(await one.downloads(vpc)).summary).toMatchObject({ week: 60, total: 67 })

    unwrap(await two.renameModule(vpc, { ...vpc, name: 'network' }))
    const moved = await one.fetch(new Request('http://r.test/v1/modules/acme/vpc/aws/versions'))
    expect([moved.status, moved.headers.get('location')]).toEqual([
      301,
      '/v1/modules/acme/network/aws/versions',
    ])
    expect((await one.search('network')).rows[0]).toMatchObject({ name: 'network', downloads: 67 })
    unwrap(await one.removeModule({ ...vpc, name: 'network' }))
    expect(await two.search('network')).toEqual({ rows: [], total: 0 })
  })
})
