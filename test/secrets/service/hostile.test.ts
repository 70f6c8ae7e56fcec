import { expect, it } from 'vitest'
import { scriptedProvider } from '../../../src/testing/index.ts'
import { chances } from '../../chances.ts'
import { asking, client } from './client.ts'

const values: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1.5,
  1e300,
  '',
  'x',
  '1h',
  'a,b',
  [],
  ['a'],
  [null],
  [[1]],
  {},
  { a: 1 },
  'é'.repeat(600),
  '\u0000',
  '-5s',
  '999999999h',
  'root',
  { a: { b: [] } },
  JSON.parse('{"__proto__":{"constructor":1}}'),
]
const fields =
  `data options cas versions policies policy rules token accessor increment ttl period explicit_max_ttl num_uses type
meta id paths org_name base_url token_ttl token_bound_cidrs token_type bypass_idp_mfa groups password totp provider nonce
custom_metadata max_versions delete_version_after config description from to key reset role_name no_parent path_suffix
allowed_policies renewable display_name __proto__`.split(/\s+/)
const names = [
  'a',
  '__proto__',
  'constructor',
  'é',
  '%00',
  '%2e%2e',
  'a%2Fb',
  'ada',
  'default',
  'root',
  'x'.repeat(300),
  '%F0%9F%98%80',
  'config',
  '*',
  '+',
  'a b',
]
const tails = ['/', '?list=true', '?help=1', '.', '?version=x', '?version=-1', '?list=x']

it.each([1, 2, 3])('no request causes an internal error (seed %i)', async (seed) => {
  const { random, pick } = chances(seed)
  const { ask, service, errors } = await client({
    idpProvider: scriptedProvider({ users: { ada: { password: 'x' } } }),
  })
  // Sealing the service, or ending the token that asks, would end the test.
  const paths = service.routes
    .map(({ path }) => path)
    .filter((path) => !/sys\/(?:seal|init)|revoke-self/.test(path))
  const faults: string[] = []
  for (let request = 0; request < 500; request += 1) {
    const path = pick(paths).replace(/[:*]\w+/g, () => pick(names)) + (random() < 0.1 ? pick(tails) : '')
    const method = pick(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'LIST', 'HEAD', 'OPTIONS'])
    const sent = Object.fromEntries(
      Array.from({ length: Math.floor(random() * 4) }, () => [pick(fields), pick(values)]),
    )
    const body = random() < 0.05 ? pick(['[]', 'null', '"x"', '{', '5']) : JSON.stringify(sent)
    const headers = {
      ...(random() < 0.1 ? { 'X-Secrets-Wrap-TTL': pick(['60', 'x', '-1', '1d']) } : {}),
      ...(random() < 0.1 ? { 'X-Secrets-Namespace': pick(['', 'team', 'root', '../x', 'a/b']) } : {}),
      ...(method === 'PATCH'
        ? { 'content-type': pick(['application/merge-patch+json', 'application/json']) }
        : {}),
    }
    const { status } = await ask(
      method,
      path,
      method === 'GET' || method === 'HEAD' ? undefined : body,
      headers,
    )
    if (status >= 500) faults.push(`${status} ${method} ${path} ${body}`)
  }
  expect(faults).toEqual([])
  expect(errors).toEqual([])
})

it('very long texts of one letter do not block other requests', async () => {
  const { service, ask } = await client()
  const anyone = asking(service, undefined)
  const long = (letter: string, count = 300_000) => `a${letter.repeat(count)}b`
  expect((await anyone('GET', `/v1/sys/internal/ui/mounts/${long('/')}`)).status).toBe(301)
  const ttl = { 'X-Secrets-Wrap-TTL': `${'1'.repeat(300_000)}x` }
  expect((await anyone('GET', '/v1/sys/health', undefined, ttl)).status).toBe(400)
  const shares = { secret_shares: `1${' '.repeat(60_000)}x` }
  expect((await anyone('PUT', '/v1/sys/rekey/init', shares)).status).toBe(400)
  expect((await ask('POST', '/v1/sys/remount', { from: long('/'), to: 'x' })).status).toBe(400)
  await ask('PUT', '/v1/sys/policies/acl/braces', { policy: `path "${long('{', 900_000)}" {}` })
  const { body } = await ask('POST', '/v1/auth/token/create', { policies: ['braces'] })
  expect((await asking(service, body.auth.client_token)('GET', '/v1/secret/data/x')).status).toBe(403)
})
