import { describe, expect, it } from 'vitest'
import {
  customHeaders,
  type ListenerRules,
  listener,
  listenerRulesProblem,
} from '../../../src/secrets/headers/index.ts'
import { devSecrets } from '../../../src/secrets/index.ts'

const { service } = await devSecrets({ rootToken: 'root' })
const ask = (rules: ListenerRules, path: string, init: RequestInit = {}) =>
  listener(service.fetch, rules)(new Request(`http://test${path}`, init))
const token = { 'X-Secrets-Token': 'root' }

describe('custom response headers', () => {
  const policy = { 'Content-Security-Policy': ["default-src 'none'"] }
  const rules = {
    customResponseHeaders: {
      default: { ...policy, 'X-Seen': ['default'] },
      '3xx': { 'X-Seen': ['moved'] },
      '200': { 'X-Seen': ['exact', 'twice'] },
      '2xx': { 'X-Seen': ['class'] },
    },
  }

  it.each([
    ['the redirect from /', '/', {}, 307, 'moved'],
    ['a success', '/v1/sys/seal-status', {}, 200, 'exact; twice'],
    [
      'a success without a body',
      '/v1/secret/metadata/none',
      { method: 'DELETE', headers: token },
      204,
      'class',
    ],
    ['an unknown path', '/v1/nowhere', { headers: token }, 404, 'default'],
    ['a path outside the API', '/nowhere', {}, 404, 'default'],
  ])('lie over %s, the most exact key first', async (_what, path, init, status, seen) => {
    const answer = await ask(rules, path, init)
    expect([answer.status, answer.headers.get('x-seen')]).toEqual([status, seen])
    expect(answer.headers.get('content-security-policy')).toBe("default-src 'none'")
  })

  it('ask browsers to insist on TLS unless they say otherwise', async () => {
    expect((await ask({}, '/')).headers.get('strict-transport-security')).toBe(
      'max-age=31536000; includeSubDomains',
    )
    const own = { customResponseHeaders: { default: { 'strict-transport-security': ['max-age=1'] } } }
    expect((await ask(own, '/')).headers.get('strict-transport-security')).toBe('max-age=1')
  })

  it("leave out the service's own headers", () => {
    const read = customHeaders(
      { default: { 'X-Secrets-Token': ['x'], 'x-acme-index': ['1'], 'X-Other': [' a ', ''] } },
      ['Secrets', 'Acme'],
    )
    expect(read.ok && [read.value.dropped, read.value.forStatus(200).get('X-Other')]).toEqual([
      ['X-Secrets-Token', 'X-Acme-Index'],
      'a',
    ])
  })

  it.each([
    [{ '6xx': {} }, 'invalid status code found in the server configuration: 6xx'],
    [{ '20': {} }, 'invalid status code found in the server configuration: 20'],
    [{ default: { 'bad name': ['x'] } }, '"bad name" under default is not a valid header name'],
    [
      { default: { 'X-A': ['a\nb'] } },
      'the value of "X-A" under default contains characters that headers cannot have',
    ],
  ])('refuse %j', (customResponseHeaders, text) => {
    expect(listenerRulesProblem({ customResponseHeaders })).toMatchObject({ refusal: { message: text } })
  })
})

describe('a listener that requires the request header', () => {
  it('answers 412 without it, and changes nothing', async () => {
    const answer = await ask({ requireRequestHeader: true }, '/v1/secret/data/x', {
      method: 'PUT',
      headers: token,
      body: '{"data":{}}',
    })
    expect(answer.status).toBe(412)
    expect(await answer.json()).toEqual({
      errors: ['missing the "X-Secrets-Request: true" header, which this listener requires'],
    })
    expect((await ask({}, '/v1/secret/data/x', { headers: token })).status).toBe(404)
  })
  it('lets requests with it pass, and those outside the API', async () => {
    expect(
      (
        await ask({ requireRequestHeader: true }, '/v1/sys/seal-status', {
          headers: { 'X-Secrets-Request': 'true' },
        })
      ).status,
    ).toBe(200)
    expect((await ask({ requireRequestHeader: true }, '/')).status).toBe(307)
  })
})

describe('cross-origin requests', () => {
  const rules = { crossOrigin: { allowedOrigins: ['https://app.example.com'], allowedHeaders: ['X-Trace'] } }
  const from = (origin: string, more: Record<string, string> = {}) => ({ headers: { origin, ...more } })

  it('are refused from elsewhere with 403', async () => {
    const answer = await ask(rules, '/v1/sys/health', from('https://evil.example.com'))
    expect([answer.status, await answer.json()]).toEqual([403, { errors: ['origin not allowed'] }])
  })
  it('are allowed from where they may come, preflight included', async () => {
    const answer = await ask(rules, '/v1/sys/health', from('https://app.example.com'))
    expect([
      answer.status,
      answer.headers.get('access-control-allow-origin'),
      answer.headers.get('vary'),
    ]).toEqual([200, 'https://app.example.com', 'Origin'])
    const preflight = await ask(rules, '/v1/secret/data/x', {
      method: 'OPTIONS',
      ...from('https://app.example.com', { 'access-control-request-method': 'LIST' }),
    })
    expect([preflight.status, preflight.headers.get('access-control-max-age')]).toEqual([204, '300'])
    expect(preflight.headers.get('access-control-allow-headers')).toContain('X-Secrets-Token')
    expect(preflight.headers.get('access-control-allow-headers')).toContain('X-Trace')
  })
  it('answer 405 to a preflight for a method there is not', async () => {
    const answer = await ask(rules, '/v1/x', {
      method: 'OPTIONS',
      ...from('https://app.example.com', { 'access-control-request-method': 'TRACE' }),
    })
    expect(answer.status).toBe(405)
  })
  it('from every origin pass under a lone star; without rules nothing is said', async () => {
    const open = await ask(
      { crossOrigin: { allowedOrigins: ['*'], allowedHeaders: [] } },
      '/',
      from('https://x.example'),
    )
    expect(open.headers.get('access-control-allow-origin')).toBe('https://x.example')
    expect(
      (await ask({}, '/', from('https://x.example'))).headers.get('access-control-allow-origin'),
    ).toBeNull()
  })
})

describe('a listener with a size limit', () => {
  it('refuses larger bodies with 413', async () => {
    const body = JSON.stringify({ data: { text: 'x'.repeat(200) } })
    expect(
      (await ask({ maxRequestBytes: 100 }, '/v1/secret/data/big', { method: 'PUT', headers: token, body }))
        .status,
    ).toBe(413)
    expect(
      (await ask({ maxRequestBytes: 1000 }, '/v1/secret/data/big', { method: 'PUT', headers: token, body }))
        .status,
    ).toBe(200)
  })
})
