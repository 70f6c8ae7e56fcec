import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, expect, it } from 'vitest'
import { sourceToken } from '../../../src/cli/box/source-token.ts'
import { cleanUp, run, start } from '../server.ts'

const servers: (() => void)[] = []
afterEach(() => {
  for (const close of servers.splice(0)) close()
})
afterAll(cleanUp)

async function serving(answer: (incoming: IncomingMessage, body: string) => readonly [number, object]) {
  const server = createServer((incoming, outgoing) => {
    let body = ''
    incoming.on('data', (chunk) => (body += String(chunk)))
    incoming.on('end', () => {
      const [status, fields] = answer(incoming, body)
      outgoing.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(fields))
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  servers.push(() => server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** An identity provider that grants tokens which live for so many seconds. */
async function provider(seconds: number) {
  const asked: URLSearchParams[] = []
  const url = await serving(({ url }, body) => {
    asked.push(new URLSearchParams(body))
    if (url !== '/oauth2/token' || asked.at(-1)?.get('client_secret') !== 'secret')
      return [401, { error: 'invalid_client', error_description: 'Client authentication failed' }]
    return [200, { access_token: `head.${asked.length}.sign`, expires_in: seconds, token_type: 'Bearer' }]
  })
  return { asked, env: { HCP_CLIENT_ID: 'id', HCP_CLIENT_SECRET: 'secret', HCP_AUTH_URL: url } }
}

it('the token of a service principal is requested with its credentials, once for many requests', async () => {
  const { asked, env } = await provider(3600)
  const token = sourceToken(undefined, env)
  expect(await Promise.all([token?.(), token?.()])).toEqual(['head.1.sign', 'head.1.sign'])
  expect(Object.fromEntries(asked[0] ?? [])).toEqual({
    grant_type: 'client_credentials',
    client_id: 'id',
    client_secret: 'secret',
    audience: 'https://api.hashicorp.cloud',
  })
})

it('it is renewed before it ends', async () => {
  const { env } = await provider(1e-9)
  const token = sourceToken(undefined, env)
  expect([await token?.(), await token?.()]).toEqual(['head.1.sign', 'head.2.sign'])
})

it('what is missing or wrong is said without the secret', async () => {
  const { env } = await provider(3600)
  expect(sourceToken(undefined, {})).toBeUndefined()
  expect(() => sourceToken(undefined, { HCP_CLIENT_ID: 'id' })).toThrow('HCP_CLIENT_SECRET is not set')
  expect(() => sourceToken('HCP_TOKEN', {})).toThrow('HCP_TOKEN is not set')
  const wrong = sourceToken(undefined, { ...env, HCP_CLIENT_SECRET: 'hidden' })
  const error: unknown = await wrong?.().catch((reason: unknown) => reason)
  expect(String(error)).toContain('Client authentication failed')
  expect(String(error)).not.toContain('hidden')
})

const version = {
  version: '1.0.0',
  status: 'active',
  providers: [
    { name: 'qemu', architecture: 'amd64', hosted: false, original_url: 'https://a.example/x.box' },
  ],
}

it('plinth box mirror reads a private box with it, also where a token of HCP stands behind a semicolon', async () => {
  const { env } = await provider(3600)
  for (const form of ['Bearer head.1.sign', 'Bearer ;head.2.sign']) {
    const source = await serving(({ url = '', headers: { authorization } }) => {
      if (authorization !== undefined && authorization !== form)
        return [401, { errors: ['Bad access token!'] }]
      const mine = authorization === form
      if (url.startsWith('/api/v2/user/acme')) return [200, { boxes: mine ? [{ name: 'secret' }] : [] }]
      return mine
        ? [200, { name: 'secret', private: true, versions: [version] }]
        : [404, { errors: ['Resource not found!'] }]
    })
    const to = await start('--only=catalog')
    const mirror = (box: string, credentials: Readonly<Record<string, string>>) =>
      run(['box', 'mirror', source, box, `--to=${to.ready.catalog.url}`], {
        CATALOG_TOKEN: String(to.ready.catalog.tokens['admin']),
        ...credentials,
      })
    const none = { HCP_CLIENT_ID: '', HCP_CLIENT_SECRET: '' }
    expect(await mirror('acme', none)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('acme has no public boxes'),
    })
    expect(await mirror('acme/secret', none)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/acme\/secret: .*if it is private, set HCP_CLIENT_ID/),
    })
    expect(await mirror('acme', env)).toMatchObject({ code: 0, stdout: '1 images copied, 0 already there\n' })
    await to.stop()
  }
})

it('plinth box mirror goes on with the next token when one ends in the middle', async () => {
  const { asked, env } = await provider(1e-9)
  const taken = new Set<string>()
  const source = await serving(({ url = '', headers: { authorization = '' } }) => {
    // Each token is good for one request.
    if (authorization !== `Bearer head.${asked.length}.sign` || taken.has(authorization))
      return [401, { errors: ['Bad access token!'] }]
    taken.add(authorization)
    if (url.startsWith('/api/v2/user/acme')) return [200, { boxes: [{ name: 'one' }, { name: 'two' }] }]
    return [200, { name: url.split('/').at(-1), private: true, versions: [version] }]
  })
  const to = await start('--only=catalog')
  const credentials = { CATALOG_TOKEN: String(to.ready.catalog.tokens['admin']), ...env }
  const mirrored = await run(['box', 'mirror', source, 'acme', `--to=${to.ready.catalog.url}`], credentials)
  expect(mirrored).toMatchObject({ code: 0, stdout: '2 images copied, 0 already there\n' })
  expect(taken.size).toBe(3)
  await to.stop()
})
