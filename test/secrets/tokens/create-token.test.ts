import { describe, expect, it } from 'vitest'
import { unwrapStep } from '../../../src/kernel/index.ts'
import {
  type CreateTokenInput,
  createToken,
  loginToken,
  lookupToken,
  renewToken,
  rootToken,
  type Token,
  type TokenPolicy,
  type TokenRole,
  tokenSettingsProblem,
  unsetTokenSettings,
  useToken,
  writeTokenRole,
} from '../../../src/secrets/tokens/index.ts'

const env = { now: 1_000_000, newId: () => 'life' }
const bounds = { sudo: false, defaultTtlSeconds: 3600, maxTtlSeconds: 7200 }
const root = rootToken({ digest: 'root', accessor: 'ra' }, env)
const parent: Token = {
  ...root,
  digest: 'p',
  policies: ['db', 'default', 'web'],
  expiresAt: 9_000_000,
  boundCidrs: ['10.0.0.0/8'],
}

const create = (from: Token, input: Partial<CreateTokenInput> = {}, policy: Partial<TokenPolicy> = {}) =>
  createToken(from, { digest: 'd', accessor: 'a', ...input }, env, { ...bounds, ...policy })
const made = (...args: Parameters<typeof create>) => {
  const { state, value } = unwrapStep(create(...args))
  return { ...state, warnings: value.warnings }
}
const why = (...args: Parameters<typeof create>) => {
  const outcome = create(...args)
  return outcome.ok ? 'created' : outcome.refusal.message
}
const role = (fields: Partial<TokenRole>): TokenRole =>
  unwrapStep(writeTokenRole(undefined, { name: 'r', ...fields }, env)).state

describe('the policies of a child', () => {
  it.each<[string, Token, Partial<CreateTokenInput>, Partial<TokenPolicy>, readonly string[]]>([
    ['are the parent’s when none are named', parent, {}, {}, ['db', 'default', 'web']],
    [
      'are the named ones, with default where the parent has it',
      parent,
      { policies: ['WEB '] },
      {},
      ['default', 'web'],
    ],
    [
      'lack default where the parent lacks it',
      { ...parent, policies: ['web'] },
      { policies: ['web'] },
      {},
      ['web'],
    ],
    ['may be anything with sudo', parent, { policies: ['other'] }, { sudo: true }, ['default', 'other']],
    [
      'lack default when it is not wanted',
      parent,
      { policies: ['web', 'default'], noDefaultPolicy: true },
      {},
      ['web'],
    ],
    ['are only root where root is among them', root, { policies: ['root', 'web'] }, { sudo: true }, ['root']],
    [
      'are the role’s, past the parent’s',
      parent,
      {},
      { role: role({ allowedPolicies: ['ops'] }) },
      ['default', 'ops'],
    ],
    [
      'follow the role’s patterns',
      parent,
      { policies: ['ops-a'] },
      { role: role({ allowedPoliciesGlob: ['ops-*'] }) },
      ['default', 'ops-a'],
    ],
    ['are not split at commas', parent, { policies: ['a,b'] }, { sudo: true }, ['a,b', 'default']],
  ])('%s', (_, from, input, policy, expected) => {
    expect(made(from, input, policy).policies).toEqual(expected)
  })
})

describe('a token is not created', () => {
  it.each<[string, Token, Partial<CreateTokenInput>, Partial<TokenPolicy>]>([
    ['batch tokens cannot create more tokens', { ...parent, type: 'batch' }, {}, {}],
    ['restricted use token cannot generate child tokens', { ...parent, numUses: 3 }, {}, {}],
    ['restricted use token cannot generate child tokens', { ...parent, numUses: -1 }, {}, {}],
    ['number of uses cannot be negative', parent, { numUses: -1 }, {}],
    ["invalid 'token_type' value", parent, { type: 'x' }, {}],
    [
      'batch tokens cannot have "explicit_max_ttl" set',
      parent,
      { type: 'batch', explicitMaxTtlSeconds: 1 },
      {},
    ],
    ['batch tokens cannot have "num_uses" set', parent, { type: 'batch', numUses: 1 }, {}],
    ['batch tokens cannot have "period" set', parent, { type: 'batch', periodSeconds: 1 }, { sudo: true }],
    ['root or sudo privileges required to specify token id', parent, { customText: true }, {}],
    ['root or sudo privileges required to create periodic token', parent, { periodSeconds: 1 }, {}],
    ['root or sudo privileges required to create orphan token', parent, { orphan: true }, {}],
    [
      'root or sudo privileges required to create periodic token',
      parent,
      { periodSeconds: 1 },
      { role: role({ orphan: true }) },
    ],
    [
      'root or sudo privileges required to create orphan token',
      parent,
      { orphan: true },
      { role: role({ periodSeconds: 60 }) },
    ],
    ['child policies must be subset of parent', parent, { policies: ['web', 'x'] }, {}],
    [
      'root tokens may not be created without parent token being root',
      parent,
      { policies: ['root'] },
      { sudo: true },
    ],
    ['batch tokens cannot be root tokens', root, { type: 'batch' }, { sudo: true }],
    [
      'expiring root tokens cannot create non-expiring root tokens',
      { ...root, expiresAt: 9_000_000 },
      {},
      { sudo: true },
    ],
    ['explicit_max_ttl must be positive', parent, { explicitMaxTtlSeconds: -1 }, {}],
    ['period must be positive', parent, { periodSeconds: -1 }, {}],
    ['ttl must be positive', parent, { ttlSeconds: -1 }, {}],
    ['cannot assign policy "response-wrapping"', parent, { policies: ['response-wrapping'] }, { sudo: true }],
    [
      'token policy "default" is disallowed by this role',
      parent,
      { policies: ['default'] },
      { role: role({ disallowedPolicies: ['default'] }) },
    ],
  ])('%s', (message, from, input, policy) => {
    expect(why(from, input, policy)).toBe(message)
  })
})

describe('a created token', () => {
  it('of root and without time never expires, and drops bound networks', () => {
    expect(made({ ...root, boundCidrs: ['10.0.0.0/8'] })).toMatchObject({
      expiresAt: null,
      renewable: false,
      boundCidrs: [],
      ttlSeconds: 0,
    })
  })
  it('of root with a time expires', () => {
    expect(made(root, { ttlSeconds: 60 })).toMatchObject({
      policies: ['root'],
      expiresAt: env.now + 60_000,
      renewable: true,
    })
  })
  it('keeps the parent’s networks unless it is an orphan', () => {
    expect(made(parent).boundCidrs).toEqual(['10.0.0.0/8'])
    expect(made(parent, { orphan: 'granted' })).toMatchObject({ boundCidrs: [], parent: null })
  })
  it('is capped, with a warning', () => {
    expect(made(parent, { ttlSeconds: 100_000 })).toMatchObject({
      ttlSeconds: 7200,
      warnings: [expect.stringContaining('"27h46m40s"')],
    })
  })
  it('warns of policies that do not exist', () => {
    expect(
      made(parent, { policies: ['web'] }, { policyExists: (name) => name === 'default' }).warnings,
    ).toEqual(['Policy "web" does not exist'])
  })
  it('is an orphan, or periodic, without sudo where its role makes it one', () => {
    const generous = role({ orphan: true, periodSeconds: 60 })
    const token = made(parent, { orphan: true, periodSeconds: 90 }, { role: generous })
    expect(token).toMatchObject({ parent: null, periodSeconds: 60 })
  })

  it('is what a role would not make it where its creator has sudo', () => {
    const token = made(parent, { orphan: true, periodSeconds: 90 }, { role: role({}), sudo: true })
    expect(token).toMatchObject({ parent: null, periodSeconds: 90 })
  })

  it('takes the smaller of the role’s limit and the request’s', () => {
    const token = made(
      parent,
      { explicitMaxTtlSeconds: 100, numUses: 5 },
      { role: role({ explicitMaxTtlSeconds: 50, numUses: 3 }) },
    )
    expect(token).toMatchObject({
      ttlSeconds: 50,
      explicitMaxTtlSeconds: 100,
      lifeTtlSeconds: 50,
      numUses: 3,
      role: 'r',
    })
    expect(token.warnings[0]).toMatch(/lesser value is used/)
  })
  it('of type batch has neither digest nor accessor, and cannot be renewed', () => {
    const token = made(parent, { type: 'batch' })
    expect(token).toMatchObject({ digest: '', accessor: '', renewable: false, type: 'batch' })
    expect(renewToken(token, { incrementSeconds: 0 }, env, bounds)).toMatchObject({
      refusal: { message: 'batch tokens cannot be renewed' },
    })
  })
  it('shows itself without digest and parent', () => {
    expect(lookupToken(made(parent), env.now + 60_500)).not.toHaveProperty('digest')
    expect(lookupToken(made(parent), env.now + 60_500)).toMatchObject({
      ttlSeconds: 3539,
      orphan: false,
      leased: true,
    })
  })
  it('has a clean display name', () => {
    expect([made(parent, { displayName: 'a b/ü!' }).displayName, made(parent).displayName]).toEqual([
      'token-a-b--',
      'token',
    ])
  })
})

describe('renewal', () => {
  const token = made(parent, { ttlSeconds: 600 })
  const renewed = (now: number, incrementSeconds = 0, from: Token = token) => {
    const outcome = renewToken(from, { incrementSeconds }, { ...env, now }, bounds)
    return outcome.ok ? outcome.state : outcome.refusal.message
  }
  it('grants what was granted last when nothing is asked', () => {
    expect(renewed(env.now + 500_000)).toMatchObject({ expiresAt: env.now + 1_100_000 })
    const once = renewed(env.now, 300)
    expect(typeof once === 'object' && renewed(env.now + 1000, 0, once)).toMatchObject({ ttlSeconds: 300 })
  })
  it('may shorten', () => expect(renewed(env.now + 1000, 10)).toMatchObject({ expiresAt: env.now + 11_000 }))
  it('ends at the maximum', () => {
    expect(renewed(env.now + 7_000_000, 3600)).toMatchObject({ ttlSeconds: 200 })
    expect(renewed(env.now + 7_200_000)).toBe('past the max TTL, cannot renew')
  })
  it('is not for root', () => expect(renewed(env.now, 0, root)).toBe('lease is not renewable'))
  it('needs the role it was made with', () => {
    const outcome = renewToken({ ...token, role: 'r' }, { incrementSeconds: 0 }, env, {
      ...bounds,
      role: 'gone',
    })
    expect(outcome).toMatchObject({
      refusal: { message: 'original token role "r" could not be found, not renewing' },
    })
  })
  it('reads a role’s period anew', () => {
    const outcome = renewToken({ ...token, role: 'r', periodSeconds: 60 }, { incrementSeconds: 9 }, env, {
      ...bounds,
      role: role({ periodSeconds: 120 }),
    })
    expect(outcome.ok && outcome.value.ttlSeconds).toBe(120)
  })
})

describe('uses', () => {
  it('are counted down to a last one', () => {
    let token = made(parent, { numUses: 2 })
    const seen: [boolean, number][] = []
    for (let use = 0; use < 2; use += 1) {
      const { state, value } = unwrapStep(useToken(token, {}, env))
      token = { ...state, warnings: [] }
      seen.push([value.last, token.numUses])
    }
    expect(seen).toEqual([
      [false, 1],
      [true, -1],
    ])
  })
})

describe('roles', () => {
  const problem = (fields: Partial<TokenRole>) => {
    const outcome = writeTokenRole(undefined, { name: 'r', ...fields }, env)
    return outcome.ok ? undefined : outcome.refusal.message
  }
  it.each<[Partial<TokenRole>, RegExp]>([
    [{ tokenType: 'batch', renewable: false }, /non-orphan tokens/],
    [{ tokenType: 'batch', orphan: true }, /renewable tokens/],
    [{ tokenType: 'batch', orphan: true, renewable: false, periodSeconds: 1 }, /periodic tokens/],
    [{ tokenType: 'batch', orphan: true, renewable: false, explicitMaxTtlSeconds: 1 }, /explicit max TTL/],
    [{ tokenType: 'default-batch', periodSeconds: 1 }, /periodic tokens/],
    [{ tokenType: 'default-batch', numUses: 1 }, /limited use count/],
    [{ tokenType: 'batch', orphan: true, renewable: false, numUses: 1 }, /limited use count/],
    [{ pathSuffix: '../x' }, /path suffix/],
    [{ numUses: -1 }, /negative/],
  ])('refuse %j', (fields, message) => expect(problem(fields)).toMatch(message))
  it('keep what a write leaves out', () => {
    const outcome = writeTokenRole(
      role({ numUses: 3 }),
      { name: 'r', renewable: false, numUses: undefined },
      env,
    )
    expect(outcome.ok && outcome.state).toMatchObject({ numUses: 3, renewable: false })
  })
})

describe('tokens of a login', () => {
  const login = (policies: readonly string[], settings = {}, mountTokenType?: 'batch') =>
    loginToken(
      undefined,
      {
        digest: 'd',
        accessor: 'a',
        path: 'auth/idp/login/ada',
        namespace: '',
        namespaceId: 'root',
        displayName: 'idp-ada',
        meta: { username: 'ada' },
        policies,
        login: { mount: 'm', user: 'ada', groups: [] },
      },
      env,
      {
        settings: { ...unsetTokenSettings, ...settings },
        defaultTtlSeconds: 3600,
        maxTtlSeconds: 7200,
        ...(mountTokenType ? { mountTokenType } : {}),
      },
    )
  it('join the policies of method and user with default', () => {
    const outcome = login(['Web'], { policies: ['ops'] })
    expect(outcome.ok && outcome.state).toMatchObject({
      policies: ['default', 'ops', 'web'],
      parent: null,
      displayName: 'idp-ada',
      renewable: true,
    })
  })
  it('have no policy that is the service’s own', () =>
    expect(login(['Response-Wrapping'], { noDefaultPolicy: true })).toMatchObject({
      refusal: { code: 'policy_internal' },
    }))
  it('are never root', () => expect(login(['root'])).toMatchObject({ refusal: { code: 'login_root' } }))
  it('are of the type the mount forces', () => {
    const outcome = login([], { numUses: 3 }, 'batch')
    expect(outcome.ok && outcome.state).toMatchObject({ type: 'batch', numUses: 0, renewable: false })
  })
  it.each([
    [{ ttlSeconds: 2, maxTtlSeconds: 1 }, /token_ttl/],
    [{ numUses: -1 }, /negative/],
    [{ type: 'batch' as const, periodSeconds: 1 }, /periodic/],
    [{ type: 'default-batch' as const, numUses: 1 }, /limited use count/],
  ])('are not made by settings like %j', (settings, message) => {
    expect(tokenSettingsProblem({ ...unsetTokenSettings, ...settings })?.refusal.message).toMatch(message)
  })
})
