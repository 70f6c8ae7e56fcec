import { describe, expect, it } from 'vitest'
import { nodeCrypto } from '../../src/crypto/index.ts'
import { identityProvider } from '../../src/oidc/index.ts'
import { testClock } from '../../src/testing/index.ts'
import { providerKey, signToken, testProvider } from '../support/identity-provider.ts'

const issuer = 'https://id.test/realm'
const hour = 3_600_000

function setup() {
  const clock = testClock()
  const remote = testProvider({ issuer, now: clock.now })
  const host = { fetch: remote.fetch, timers: clock.timers, crypto: nodeCrypto(), env: clock.env }
  const provider = identityProvider({ issuer }, host)
  const verify = (token = remote.token({ sub: 'ada' })) => provider.verify(token, ['ES256'])
  const calls = (path: string) => remote.asked.filter((asked) => asked === `/realm${path}`).length
  return { clock, remote, host, provider, verify, calls }
}
const down = () => Promise.reject(new TypeError('fetch failed'))
const unavailable = (message: RegExp) => ({
  ok: false,
  refusal: { code: 'provider_unavailable', message: expect.stringMatching(message) },
})

describe('the keys of a provider', () => {
  it('are fetched once for many tokens, also at the same time', async () => {
    const { verify, calls } = setup()
    const verdicts = await Promise.all(Array.from({ length: 50 }, () => verify()))
    expect(verdicts.every(({ ok }) => ok)).toBe(true)
    expect([calls('/.well-known/openid-configuration'), calls('/keys')]).toEqual([1, 1])
  })
  it('are fetched again for a token of a new key, not more often than every ten seconds', async () => {
    const { clock, remote, verify, calls } = setup()
    await verify()
    await clock.advance(10_000)
    remote.keys = [providerKey('second'), ...remote.keys]
    expect((await verify()).ok).toBe(true)
    expect(calls('/keys')).toBe(2)
    const forged = signToken(providerKey('forged'), { sub: 'eve' })
    for (let each = 0; each < 100; each += 1) expect((await verify(forged)).ok).toBe(false)
    expect(calls('/keys')).toBe(2)
    await clock.advance(10_000)
    await Promise.all(Array.from({ length: 100 }, () => verify(forged)))
    expect(calls('/keys')).toBe(3)
  })
  it('that were withdrawn are not accepted for more than ten minutes', async () => {
    const { clock, remote, verify } = setup()
    const old = remote.token({ sub: 'ada' })
    await verify(old)
    remote.keys = [providerKey('second')]
    await clock.advance(600_000)
    expect((await verify(old)).ok).toBe(false)
  })
  it('remain in use for a day while their host is down, which is asked rarely', async () => {
    const { clock, remote, verify, calls } = setup()
    await verify()
    remote.instead.set('/realm/keys', down)
    await clock.advance(hour)
    for (let each = 0; each < 20; each += 1) expect((await verify()).ok).toBe(true)
    expect(calls('/keys')).toBe(2)
    await clock.advance(23 * hour)
    expect(await verify()).toEqual(unavailable(/^https:\/\/id\.test cannot be reached$/))
    remote.instead.clear()
    await clock.advance(10_000)
    expect((await verify()).ok).toBe(true)
  })
  it('are missing if the host was down from the beginning, and found when it is back', async () => {
    const { clock, remote, verify } = setup()
    remote.instead.set('/realm/.well-known/openid-configuration', down)
    expect(await verify()).toEqual(unavailable(/cannot be reached/))
    remote.instead.clear()
    await clock.advance(10_000)
    expect((await verify()).ok).toBe(true)
  })
  it('of a slow host end the wait after ten seconds', async () => {
    const { clock, remote, verify } = setup()
    remote.instead.set('/realm/keys', () => new Promise<Response>(() => {}))
    const verdict = verify()
    await clock.advance(10_000)
    expect(await verdict).toEqual(unavailable(/did not answer within 10 s/))
  })
  it('of a host that sends its answer forever end the wait, too', async () => {
    const { clock, remote, verify } = setup()
    remote.instead.set(
      '/realm/keys',
      () => new Response(new ReadableStream({ pull: () => new Promise<void>(() => {}) })),
    )
    const verdict = verify()
    await clock.advance(10_000)
    expect(await verdict).toEqual(unavailable(/did not answer within 10 s/))
  })
  it.each<[string, () => Response, RegExp]>([
    ['is huge', () => new Response('x'.repeat(600_000)), /larger than 524288 characters/],
    [
      'never ends',
      () => new Response(new ReadableStream({ pull: (to) => to.enqueue(new Uint8Array(65_536).fill(32)) })),
      /larger than/,
    ],
    ['nests deeply', () => new Response('['.repeat(100_000)), /nests too deeply/],
    ['is no JSON', () => new Response('<html>'), /status 200 and no JSON/],
    ['is no key set', () => Response.json({ keys: 'none' }), /is not a JSON Web Key Set/],
    ['is an error', () => Response.json({}, { status: 500 }), /status 500/],
    ['redirects elsewhere', () => Response.redirect('https://evil.test/keys', 302), /redirects elsewhere/],
    [
      'redirects to the same host without TLS',
      () => Response.redirect('http://id.test/realm/keys', 302),
      /redirects elsewhere/,
    ],
    [
      'redirects in a circle',
      () => Response.redirect('https://id.test/realm/keys', 302),
      /redirects more than 3 times/,
    ],
    ['redirects nowhere', () => new Response(null, { status: 302 }), /redirects elsewhere/],
  ])('whose answer %s are refused', async (_title, answer, message) => {
    const { remote, verify } = setup()
    remote.instead.set('/realm/keys', answer)
    expect(await verify()).toEqual(unavailable(message))
  })
  it('follow a redirect within the host', async () => {
    const { remote, verify } = setup()
    remote.instead.set('/realm/keys', () => Response.redirect('https://id.test/realm/moved', 302))
    remote.instead.set('/realm/moved', () => remote.fetch(`${issuer}/real`))
    remote.instead.set('/realm/real', () => Response.json({ keys: [] }))
    expect((await verify()).ok).toBe(false)
    expect(remote.asked).toContain('/realm/moved')
  })
  it('of which only the first hundred count', async () => {
    const { remote, verify } = setup()
    remote.keys = Array.from({ length: 150 }, (_, at) => providerKey(`k${at}`))
    expect((await verify()).ok).toBe(true)
    const last = remote.keys.at(-1)
    expect(last && (await verify(signToken(last, { sub: 'ada' }))).ok).toBe(false)
  })
})

describe('the discovery document of an issuer', () => {
  const discovered = (document: object) => {
    const { remote, provider } = setup()
    remote.instead.set('/realm/.well-known/openid-configuration', () => Response.json(document))
    return provider.discovery()
  }
  const document = { issuer, jwks_uri: 'https://keys.test/keys', token_endpoint: `${issuer}/token` }
  it('may name addresses of other hosts, and its issuer with a slash at the end', async () => {
    const found = await discovered({ ...document, issuer: `${issuer}/` })
    expect(found).toMatchObject({ value: { issuer: `${issuer}/`, jwksUrl: 'https://keys.test/keys' } })
  })
  it.each([
    [{ ...document, issuer: 'https://other.test' }, /is of the issuer "https:\/\/other\.test"/],
    [{ ...document, issuer: undefined }, /is of the issuer undefined/],
    [{ ...document, jwks_uri: 'http://keys.test/keys' }, /names no valid jwks_uri/],
    [{ ...document, jwks_uri: 'file:///etc/passwd' }, /names no valid jwks_uri/],
    [{ ...document, jwks_uri: 7 }, /names no valid jwks_uri/],
    [[], /is of the issuer/],
  ])('%j is refused', async (given, message) => {
    expect(await discovered(given)).toEqual(unavailable(message))
  })
})
