import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, describe, expect, it } from 'vitest'
import { httpProvider } from '../../../../src/secrets/service/idp/http-provider.ts'

/** What the fake upstream does next, and what it was sent last. */
let behave: (request: IncomingMessage, response: ServerResponse, body: string) => void = (_, response) =>
  response.end()
let seen: { url: string | undefined; body: string; headers: IncomingMessage['headers'] }
const server = createServer((request, response) => {
  let body = ''
  request.on('data', (chunk) => {
    body += chunk
  })
  request.on('end', () => {
    seen = { url: request.url, body, headers: request.headers }
    behave(request, response, body)
  })
})
const base = await new Promise<string>((resolve) =>
  server.listen(0, '127.0.0.1', () => resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)),
)
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

const org = { orgName: 'acme', baseUrl: base, apiToken: 'secret-api-token' }
const signal = new AbortController().signal
const provider = httpProvider()
const json = (status: number, value: unknown) => (_: IncomingMessage, response: ServerResponse) => {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
}
const login = (more = {}) =>
  provider.authenticate({ org, username: 'ada', password: 'hunter2', address: '10.0.0.9', signal, ...more })

describe('the provider over HTTP', () => {
  it('reads where a login stands', async () => {
    behave = json(200, {
      status: 'MFA_REQUIRED',
      stateToken: 'st',
      _embedded: {
        user: { id: 'u1' },
        factors: [{ id: 'f1', factorType: 'push', provider: 'OKTA', more: 1 }],
      },
    })
    expect(await login()).toMatchObject({
      kind: 'step',
      status: 'MFA_REQUIRED',
      stateToken: 'st',
      userId: 'u1',
      factors: [{ id: 'f1', type: 'push', provider: 'IDP' }],
    })
    expect(seen).toMatchObject({ url: '/api/v1/authn', body: '{"username":"ada","password":"hunter2"}' })
    expect(seen.headers['x-forwarded-for']).toBe('10.0.0.9')
  })

  it('reads that a factor is yet to be set up, which has no id', async () => {
    behave = json(200, {
      status: 'MFA_ENROLL',
      stateToken: 'st',
      _embedded: {
        user: { id: 'u1' },
        factors: [{ factorType: 'push', provider: 'OKTA', status: 'NOT_SETUP' }],
      },
    })
    expect(await login()).toMatchObject({ kind: 'step', status: 'MFA_ENROLL', userId: 'u1', factors: [] })
  })

  it('reads the number to choose', async () => {
    behave = json(200, {
      status: 'MFA_CHALLENGE',
      factorResult: 'WAITING',
      _embedded: { factor: { _embedded: { challenge: { correctAnswer: 92 } } } },
    })
    const said = await provider.verifyFactor({
      org,
      factorId: 'a/b',
      stateToken: 'st',
      passcode: '1',
      signal,
    })
    expect(said).toMatchObject({ factorResult: 'WAITING', correctAnswer: 92 })
    expect(seen).toMatchObject({
      url: '/api/v1/authn/factors/a%2Fb/verify',
      body: '{"stateToken":"st","passCode":"1"}',
    })
  })

  it('follows pages of groups, at the provider only', async () => {
    behave = (request, response) => {
      const more = request.url?.includes('after')
        ? 'http://elsewhere.invalid/x'
        : `${base}/api/v1/users/u1/groups?after=1`
      response.writeHead(200, { link: `<${base}/self>; rel="self", <${more}>; rel="next"` })
      response.end(JSON.stringify([{ profile: { name: request.url?.includes('after') ? 'ops' : 'dev' } }]))
    }
    expect(await provider.listGroups({ org, userId: 'u1', signal })).toEqual({
      kind: 'groups',
      names: ['dev', 'ops'],
    })
    expect(seen.headers.authorization).toBe('SSWS secret-api-token')
  })

  it('gives up on groups that never end', async () => {
    behave = (_, response) => {
      response.writeHead(200, { link: `<${base}/again>; rel="next"` }).end('[]')
    }
    expect(await provider.listGroups({ org, userId: 'u1', signal })).toMatchObject({ kind: 'failure' })
  })

  it('passes on a verdict', async () => {
    behave = json(401, { errorCode: 'E0000004', errorSummary: 'Authentication failed' })
    expect(await login()).toEqual({ kind: 'verdict', message: 'Authentication failed', code: 'E0000004' })
  })

  it.each<[string, typeof behave, RegExp]>([
    ['too many requests', json(429, { errorCode: 'E0000047' }), /limits the request rate/],
    ['a server error', json(500, { errorCode: 'E0000009' }), /status 500/],
    ['an error without a code', json(403, 'no'), /status 403/],
    ['garbage', (_, response) => response.end('<html>'), /not valid/],
    ['nothing', (_, response) => response.end(), /not valid/],
    ['JSON of another kind', json(200, { state: 'SUCCESS' }), /not valid/],
    ['a number as status', json(200, { status: 5 }), /not valid/],
    ['an endless answer', (_, response) => response.end(`"${'x'.repeat(2_000_000)}"`), /not valid/],
    [
      'a redirect',
      (_, response) => response.writeHead(302, { location: 'http://elsewhere.invalid' }).end(),
      /cannot be reached/,
    ],
    ['a broken connection', (request) => request.socket.destroy(), /cannot be reached/],
    [
      'an answer that breaks off',
      (request, response) => {
        response.writeHead(200, { 'content-length': '100' })
        response.write('{"status"')
        setImmediate(() => request.socket.destroy())
      },
      /cannot be reached/,
    ],
  ])('takes %s for a failure', async (_, behaviour, message) => {
    behave = behaviour
    const said = await login()
    expect(said).toMatchObject({ kind: 'failure', message: expect.stringMatching(message) })
    expect(JSON.stringify(said)).not.toMatch(/hunter2|secret-api-token/)
  })

  it('takes silence for a failure', async () => {
    behave = () => {}
    const fired: (() => void)[] = []
    const slow = httpProvider({
      timers: {
        after: (_, fn) => {
          fired.push(fn)
          return () => {}
        },
      },
    })
    const said = slow.authenticate({ org, username: 'ada', password: 'x', signal })
    fired[0]?.()
    expect(await said).toEqual({ kind: 'failure', message: 'the provider did not answer in time' })
  })

  it('never asks a host that a name only seems to be', async () => {
    const asked: string[] = []
    const spy: typeof fetch = async (url) => {
      asked.push(String(url))
      return Response.json({ status: 'SUCCESS' })
    }
    const careful = httpProvider({ fetch: spy })
    const ask = (orgName: string, baseUrl: string) =>
      careful.authenticate({ org: { orgName, baseUrl, apiToken: '' }, username: 'a', password: 'b', signal })
    expect(await ask('evil.example/', '')).toMatchObject({ kind: 'failure' })
    await ask('acme', 'example.com')
    expect(asked).toEqual(['https://acme.example.com/api/v1/authn'])
  })
})
