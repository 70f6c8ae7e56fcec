import { describe, expect, it } from 'vitest'
import { memoryStore } from '../../src/store/index.ts'
import { served, source, vpc } from './served.ts'

describe('a download', () => {
  it('answers 204 with the get header and no body', async () => {
    const { send } = await served({ words: ['Acme'] })
    const response = await send('/v1/modules/acme/vpc/aws/1.0.0/download')
    expect(response.status).toBe(204)
    expect(response.headers.get('X-Registry-Get')).toBe(`${source}?v=1.0.0`)
    expect(response.headers.get('X-Terraform-Get')).toBe(`${source}?v=1.0.0`)
    expect(response.headers.get('X-Acme-Get')).toBe(`${source}?v=1.0.0`)
    expect(await response.text()).toBe('')
  })

  it('passes a relative source on for the client to resolve', async () => {
    const { send } = await served()
    const response = await send('/v1/modules/acme/vpc/google/0.1.0/download')
    expect(response.headers.get('x-registry-get')).toBe('./vpc.tar.gz')
  })

  it('can say the same in a body', async () => {
    const { get } = await served({ download: 'both' })
    const { status, headers, body } = await get('/v1/modules/acme/vpc/google/0.1.0/download')
    expect([status, headers.get('x-registry-get'), body]).toEqual([
      200,
      './vpc.tar.gz',
      { location: './vpc.tar.gz' },
    ])
  })

  it('of the latest version is a redirect to that version', async () => {
    const { send } = await served()
    const response = await send('/v1/modules/acme/vpc/aws/download')
    expect([response.status, response.headers.get('location')]).toEqual([
      302,
      '/v1/modules/acme/vpc/aws/1.10.0/download',
    ])
  })

  it('is counted by week, month, year and in all, by the clock', async () => {
    const { get, send, clock } = await served()
    const summary = async () => (await get('/v2/modules/acme/vpc/aws/downloads/summary')).body
    expect(await summary()).toEqual({
      data: {
        type: 'module-downloads-summary',
        id: 'acme/vpc/aws',
        attributes: { week: 0, month: 0, year: 0, total: 0 },
      },
    })
    await Promise.all(
      ['1.0.0', 'v1.9', '1.10.0'].map((version) => send(`/v1/modules/acme/vpc/aws/${version}/download`)),
    )
    expect((await summary()).data.attributes).toEqual({ week: 3, month: 3, year: 3, total: 3 })
    await clock.advance(10 * 86_400_000)
    await send('/v1/modules/acme/vpc/aws/1.0.0/download')
    expect((await summary()).data.attributes).toEqual({ week: 1, month: 4, year: 4, total: 4 })
    expect((await get('/v1/modules/acme')).body.modules[0].downloads).toBe(4)
    expect((await get('/v1/modules/acme/vpc/aws/1.0.0')).body.downloads).toBe(4)
  })

  it('is counted immediately for readers, and stored with the others of its second', async () => {
    const store = memoryStore()
    const { registry, clock, get } = await served({ store })
    const before = await store.head()
    for (let at = 0; at < 3; at += 1) await registry.download(vpc, '1.0.0')
    for (const path of ['acme', 'search?q=vpc&provider=aws', 'acme/vpc'])
      expect((await get(`/v1/modules/${path}`)).body.modules[0].downloads).toBe(3)
    expect((await get('/v1/modules/acme/vpc/aws')).body.downloads).toBe(3)
    expect(await store.head()).toBe(before)
    await clock.advance(1000)
    expect(await store.head()).toBe(before + 1)
    expect((await registry.list()).rows[0]?.downloads).toBe(3)
  })

  it('is not counted when it fails, is asked about with HEAD, or is only a redirect', async () => {
    const { get, send } = await served()
    await send('/v1/modules/acme/vpc/aws/9.9.9/download')
    await send('/v1/modules/acme/vpc/aws/download')
    const head = await send('/v1/modules/acme/vpc/aws/1.0.0/download', { method: 'HEAD' })
    expect([head.status, head.headers.get('x-registry-get')]).toEqual([204, `${source}?v=1.0.0`])
    expect((await get('/v2/modules/acme/vpc/aws/downloads/summary')).body.data.attributes.total).toBe(0)
  })
})
