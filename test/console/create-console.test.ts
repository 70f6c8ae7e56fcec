import { gzipSync } from 'node:zlib'
import { afterAll, describe, expect, it } from 'vitest'
import { createCatalog } from '../../src/catalog/index.ts'
import { assets } from '../../src/console/generated/assets.ts'
import { createConsole } from '../../src/console/index.ts'
import { mount } from '../../src/http/index.ts'
import { serve } from '../../src/http/node/index.ts'
import { createRegistry } from '../../src/registry/index.ts'

const registry = createRegistry()
const catalog = createCatalog()
afterAll(async () => {
  await registry.close()
  await catalog.close()
})

const ask = (
  fetch: (request: Request) => Promise<Response>,
  path: string,
  init: RequestInit = {},
): Promise<Response> => fetch(new Request(`http://console.test${path}`, init))

describe('a console', () => {
  const { fetch } = createConsole({ registry, catalog: catalog.fetch })

  it('names the services that it was given', async () => {
    const about = (await (await ask(fetch, '/services.json')).json()) as { services: string[] }
    expect(about.services.sort()).toEqual(['catalog', 'registry'])
  })

  it('tells its pages whether to keep sign-ins', async () => {
    const about = async (options: { keepSignIns?: boolean }) =>
      (await ask(createConsole({ registry, ...options }).fetch, '/services.json')).json()
    expect(await about({})).toMatchObject({ keepsSignIns: true })
    expect(await about({ keepSignIns: false })).toMatchObject({ keepsSignIns: false })
  })

  it('sends at most 240 kB of scripts and styles, compressed', () => {
    const sizes = Object.values(assets).map(({ body }) => gzipSync(body).length)
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(240_000)
  })

  it('answers every view with its page, whose script and style are its own', async () => {
    for (const path of ['/', '/registry', '/scheduler/jobs/a%2Fb?namespace=x']) {
      const answer = await ask(fetch, path)
      expect(answer.status).toBe(200)
      const html = await answer.text()
      const files = [...html.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, file]) => file ?? '')
      expect(files).toHaveLength(2)
      for (const file of files) {
        const asset = await ask(fetch, file)
        expect(asset.status).toBe(200)
        expect(asset.headers.get('cache-control')).toContain('immutable')
        expect(asset.headers.get('content-type')).toMatch(/^text\/(?:javascript|css)/)
      }
    }
  })

  it('allows scripts and styles of its own origin only, and no frames', async () => {
    const policy = (await ask(fetch, '/')).headers.get('content-security-policy') ?? ''
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).not.toContain('unsafe')
    expect(await (await ask(fetch, '/')).text()).not.toMatch(/<script(?![^>]* src=)|<style|\son\w+=|\sstyle=/)
  })

  it('passes on what its pages ask of a service', async () => {
    const answer = await ask(fetch, '/services/registry/v1/modules')
    expect(answer.status).toBe(200)
    expect(await answer.json()).toMatchObject({ modules: [] })
  })

  it('has a browser run nothing of what a service answers', async () => {
    const { headers } = await ask(fetch, '/services/registry/v1/modules')
    expect(headers.get('content-security-policy')).toContain('sandbox')
    expect(headers.get('x-content-type-options')).toBe('nosniff')
  })

  it.each([
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { origin: 'https://evil.test' },
    { origin: 'null' },
  ])('refuses what a page of another site asks: %o', async (headers) => {
    const answer = await ask(fetch, '/services/registry/v1/modules', { headers })
    expect(answer.status).toBe(403)
  })

  it('serves only its own pages', async () => {
    const headers = { 'sec-fetch-site': 'same-origin', origin: 'http://console.test' }
    expect((await ask(fetch, '/services/registry/v1/modules', { headers })).status).toBe(200)
    const behindTls = { ...headers, origin: 'https://console.test' }
    expect((await ask(fetch, '/services/registry/v1/modules', { headers: behindTls })).status).toBe(200)
  })

  it('knows no other service, and no asset by another name', async () => {
    expect((await ask(fetch, '/services/secrets/v1/sys/health')).status).toBe(404)
    expect((await ask(fetch, '/assets/__proto__')).status).toBe(404)
    expect((await ask(fetch, '/assets/../services.json')).status).toBe(200)
    expect((await ask(fetch, '/', { method: 'POST' })).status).toBe(405)
  })

  it('finds its files below the path that it is mounted at', async () => {
    const mounted = mount({ '/ops/console': fetch })
    const html = await (await ask(mounted, '/ops/console/registry')).text()
    const script = /src="([^"]+)"/.exec(html)?.[1] ?? ''
    expect(script).toMatch(/^\/ops\/console\/assets\//)
    expect((await ask(mounted, script)).status).toBe(200)
    expect((await ask(mounted, '/ops/console/services/registry/v1/modules')).status).toBe(200)
  })
})

describe('a console of servers elsewhere', () => {
  it('passes requests on, body and token too, and says when one is away', async () => {
    const seen: string[] = []
    const server = await serve({
      fetch: async (request) => {
        seen.push(`${request.method} ${new URL(request.url).pathname}${new URL(request.url).search}`)
        return Response.json({ token: request.headers.get('x-secrets-token'), body: await request.text() })
      },
      port: 0,
    })
    const { fetch } = createConsole({ secrets: server.url, scheduler: 'http://127.0.0.1:1' })
    const answer = await ask(fetch, '/services/secrets/v1/secret/data/app?version=2', {
      method: 'POST',
      headers: { 'x-secrets-token': 't', cookie: 'a=b' },
      body: '{"data":{}}',
    })
    expect(await answer.json()).toEqual({ token: 't', body: '{"data":{}}' })
    expect(seen).toEqual(['POST /v1/secret/data/app?version=2'])
    const away = await ask(fetch, '/services/scheduler/v1/jobs')
    expect(away.status).toBe(502)
    expect(await away.text()).toContain('the scheduler service at http://127.0.0.1:1 cannot be reached')
    await server.close()
  })
})

describe('createConsole', () => {
  it.each([
    [{}, /pass at least one service/],
    [{ secrets: 'ftp://host' }, /secrets is not an http or https URL/],
    [{ secret: 'http://host' }, /secret/],
    [{ registry: {} }, /registry is neither a service, a fetch handler nor a URL/],
  ])('refuses %o', (options, message) => {
    expect(() => createConsole(options as never)).toThrow(message)
  })
})
