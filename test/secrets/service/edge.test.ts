import { describe, expect, it } from 'vitest'
import { listener } from '../../../src/secrets/index.ts'
import { asking, client } from './client.ts'

const cors = '/v1/sys/config/cors'
const uiHeaders = '/v1/sys/config/ui/headers'

describe('rules for pages of other origins', () => {
  it('are off until they are set, and off again when they are deleted', async () => {
    const { ask } = await client()
    const from = { origin: 'https://app.example' }
    expect((await ask('GET', cors)).body.data).toEqual({ enabled: false })
    expect((await ask('GET', '/v1/sys/health', undefined, from)).status).toBe(200)
    expect(
      (await ask('PUT', cors, { allowed_origins: 'https://app.example, https://b.example' })).status,
    ).toBe(204)
    expect((await ask('GET', cors)).body.data).toMatchObject({
      enabled: true,
      allowed_origins: ['https://app.example', 'https://b.example'],
    })
    const allowed = await ask('GET', '/v1/sys/health', undefined, from)
    expect(allowed.headers.get('access-control-allow-origin')).toBe('https://app.example')
    expect(allowed.headers.get('vary')).toBe('Origin')
    const foreign = await ask('GET', '/v1/sys/health', undefined, { origin: 'https://evil.example' })
    expect(foreign).toMatchObject({ status: 403, body: { errors: ['origin not allowed'] } })
    expect((await ask('GET', '/v1/sys/health')).status).toBe(200)
    expect((await ask('DELETE', cors)).status).toBe(204)
    const after = await ask('GET', '/v1/sys/health', undefined, { origin: 'https://evil.example' })
    expect(after.status).toBe(200)
  })

  it('answer a preflight without a token, also behind a listener', async () => {
    const { ask, service } = await client()
    await ask('POST', cors, { allowed_origins: ['*'], allowed_headers: ['X-Mine'] })
    const behind = asking({ fetch: listener(service.fetch, {}) }, undefined)
    const preflight = (method: string) =>
      behind('OPTIONS', '/v1/secret/data/x', undefined, {
        origin: 'https://any.example',
        'access-control-request-method': method,
      })
    const { status, headers } = await preflight('LIST')
    expect(status).toBe(204)
    expect(headers.get('access-control-allow-origin')).toBe('https://any.example')
    expect(headers.get('access-control-allow-headers')).toContain('X-Secrets-Token')
    expect(headers.get('access-control-allow-headers')).toContain('X-Mine')
    expect((await preflight('BREW')).status).toBe(405)
  })

  it.each([
    [{}, 'at least one origin or the wildcard must be provided'],
    [{ allowed_origins: [] }, 'at least one origin or the wildcard must be provided'],
    [
      { allowed_origins: '*,https://a' },
      "to allow all origins the '*' must be the only value for allowed_origins",
    ],
  ])('cannot be %j', async (body, message) => {
    const { ask } = await client()
    expect(await ask('PUT', cors, body)).toMatchObject({ status: 400, body: { errors: [message] } })
  })

  it('need sudo, belong to the root namespace, and outlive a seal', async () => {
    const { ask, service, unsealKeys } = await client()
    await ask('PUT', '/v1/sys/policies/acl/plain', {
      policy: `path "sys/config/cors" { capabilities = ["read"] }`,
    })
    const { auth } = (await ask('POST', '/v1/auth/token/create', { policies: ['plain'] })).body
    expect((await asking(service, auth.client_token)('GET', cors)).status).toBe(403)
    await ask('POST', '/v1/sys/namespaces/team')
    expect((await ask('GET', '/v1/team/sys/config/cors')).status).toBe(400)
    await ask('PUT', cors, { allowed_origins: ['https://a.example'] })
    await service.seal.seal()
    for (const key of unsealKeys) await service.seal.unseal(key)
    expect((await ask('GET', cors)).body.data.enabled).toBe(true)
  })
})

describe('headers of the user interface', () => {
  it('are set, listed, read and deleted, and lie over those of its page only', async () => {
    const { ask, service } = await client()
    const page = async () => (await service.fetch(new Request('http://localhost/ui/'))).headers
    expect((await ask('LIST', uiHeaders)).status).toBe(404)
    await ask('POST', `${uiHeaders}/Content-Security-Policy`, { values: ["default-src 'self'", 'img-src *'] })
    expect((await ask('LIST', uiHeaders)).body.data.keys).toEqual(['Content-Security-Policy'])
    expect((await page()).get('content-security-policy')).toBe("default-src 'self'; img-src *")
    expect((await ask('GET', '/v1/sys/health')).headers.get('content-security-policy')).toBeNull()
    const read = `${uiHeaders}/content-security-policy`
    expect((await ask('GET', read)).body.data).toEqual({ value: "default-src 'self'" })
    expect((await ask('GET', `${read}?multivalue=true`)).body.data.values).toHaveLength(2)
    expect((await ask('DELETE', read)).status).toBe(204)
    expect((await page()).get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'sha256-/)
    expect((await ask('GET', read)).status).toBe(404)
  })

  it.each([
    ['X-Secrets-Token', { values: ['x'] }, 'X-Secrets headers cannot be set'],
    ['X-Mine', {}, 'header values must be provided'],
    [
      'X-Mine',
      { values: ['a\nb'] },
      'the value of "X-Mine" under default contains characters that headers cannot have',
    ],
    ['a b', { values: ['x'] }, '"a b" under default is not a valid header name'],
  ])('cannot be %s with %j', async (name, body, message) => {
    const { ask } = await client()
    expect(await ask('POST', `${uiHeaders}/${encodeURIComponent(name)}`, body)).toMatchObject({
      status: 400,
      body: { errors: [message] },
    })
  })
})
