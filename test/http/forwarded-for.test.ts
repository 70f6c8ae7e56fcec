import { describe, expect, it } from 'vitest'
import { exchangeHandlerOf, fetchOf } from '../../src/http/fetch.ts'
import { type ForwardedForRules, withForwardedFor } from '../../src/http/index.ts'

const proxy = '10.0.0.2'

/** The client's address that a service sees, or why the request was refused. */
async function clientSeen(
  peer: string | undefined,
  header: string | undefined,
  rules: Partial<ForwardedForRules> = {},
): Promise<string | undefined> {
  const service = fetchOf(async ({ peer: client }) => ({
    status: 200,
    headers: {},
    body: client?.address ?? 'unknown',
  }))
  const handler = exchangeHandlerOf(withForwardedFor(service, { authorizedAddrs: ['10.0.0.0/8'], ...rules }))
  const asked = fetchOf((exchange) => {
    exchange.peer = peer === undefined ? undefined : { address: peer }
    return handler(exchange)
  })
  const headers = header === undefined ? {} : { 'x-forwarded-for': header }
  const answer = await asked(new Request('http://localhost/', { headers }))
  const text = await answer.text()
  return answer.status === 200 ? text : `${answer.status}: ${JSON.parse(text).errors[0]}`
}

describe('the client behind a proxy', () => {
  it.each([
    [proxy, '192.0.2.7', {}, '192.0.2.7'],
    [proxy, '203.0.113.9, 192.0.2.7', {}, '192.0.2.7'],
    [proxy, '203.0.113.9,192.0.2.7', { hopSkips: 1 }, '203.0.113.9'],
    [proxy, '[2001:db8::1]:4711', {}, '2001:db8::1'],
    ['::ffff:10.0.0.2', '192.0.2.7', {}, '192.0.2.7'],
    ['198.51.100.1', '192.0.2.7', { rejectNotAuthorized: false }, '198.51.100.1'],
    [undefined, '192.0.2.7', { rejectNotAuthorized: false }, 'unknown'],
    [proxy, undefined, { rejectNotPresent: false }, proxy],
  ] as const)('from %s with %j and %j is %s', async (peer, header, rules, client) => {
    expect(await clientSeen(peer, header, rules)).toBe(client)
  })

  it.each([
    [proxy, undefined, {}, /^400: missing X-Forwarded-For/],
    ['198.51.100.1', '10.0.0.2', {}, /^400: this client may not send X-Forwarded-For/],
    [undefined, '10.0.0.2', {}, /^400: this client may not/],
    [proxy, '192.0.2.7', { hopSkips: 1 }, /^400: malformed .* has 1 addresses, and this listener skips 1/],
    [proxy, 'unknown', {}, /^400: malformed/],
    [proxy, '192.0.2.7,', {}, /^400: malformed/],
    [proxy, '', {}, /^400: malformed/],
    [proxy, '192.0.2.7\t203.0.113.9', {}, /^400: malformed/],
  ] as const)('from %s with %j and %j is refused', async (peer, header, rules, reason) => {
    expect(await clientSeen(peer, header, rules)).toMatch(reason)
  })

  it('needs proxies that are addresses or networks', () => {
    const make = (rules: ForwardedForRules) => () => withForwardedFor(() => new Response(), rules)
    expect(make({ authorizedAddrs: [] })).toThrow('at least one')
    expect(make({ authorizedAddrs: ['proxy.example'] })).toThrow('"proxy.example" is neither')
    expect(make({ authorizedAddrs: ['::1'], hopSkips: -1 })).toThrow('hopSkips is -1')
  })
})
