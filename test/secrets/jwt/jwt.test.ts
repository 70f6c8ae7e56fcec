import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { unwrapStep } from '../../../src/index.ts'
import { matchesGlob } from '../../../src/oidc/index.ts'
import {
  isRedirectAllowed,
  type JwtRoleInput,
  jwtRoleProblem,
  loginWithJwt,
  writeJwtConfig,
  writeJwtRole,
} from '../../../src/secrets/jwt/index.ts'

const now = 1_800_000_000_000
const env = { now, newId: (kind: string) => kind }
const base = { name: 'Deploy', roleType: 'jwt', userClaim: 'sub', boundSubject: 'repo:acme/web' }
const roleOf = (input: Partial<JwtRoleInput> = {}) =>
  unwrapStep(writeJwtRole(undefined, { ...base, ...input }, env)).state
const claims = { sub: 'repo:acme/web', exp: now / 1000 + 60 }

describe('a configuration', () => {
  it('names one source of keys, and replaces the one before', () => {
    const before = unwrapStep(
      writeJwtConfig(undefined, { jwksUrl: 'https://id.test/keys', boundIssuer: 'id' }, env),
    ).state
    const { state } = unwrapStep(
      writeJwtConfig(before, { oidcDiscoveryUrl: 'https://id.test', defaultRole: 'CI' }, env),
    )
    expect(state).toMatchObject({
      jwksUrl: '',
      boundIssuer: '',
      oidcDiscoveryUrl: 'https://id.test',
      defaultRole: 'ci',
    })
  })
  it('takes the address of the discovery document, with a warning', () => {
    const address = 'https://id.test/.well-known/openid-configuration'
    const { state, value } = unwrapStep(writeJwtConfig(undefined, { oidcDiscoveryUrl: address }, env))
    expect([state.oidcDiscoveryUrl, value.length]).toEqual(['https://id.test/', 1])
  })
  const one = "exactly one of 'jwt_validation_pubkeys', 'jwks_url' or 'oidc_discovery_url' must be set"
  it.each([
    [{}, one],
    [{ jwksUrl: 'https://id.test', oidcDiscoveryUrl: 'https://id.test' }, one],
    [{ jwtValidationPubkeys: ['x'], jwksUrl: 'https://id.test' }, one],
    [
      { oidcDiscoveryUrl: 'https://id.test', oidcClientId: 'a' },
      "both 'oidc_client_id' and 'oidc_client_secret' must be set for OIDC",
    ],
    [
      { oidcDiscoveryUrl: 'https://id.test', oidcClientSecret: 'a' },
      "both 'oidc_client_id' and 'oidc_client_secret' must be set for OIDC",
    ],
    [
      { jwksUrl: 'https://id.test', oidcClientId: 'a', oidcClientSecret: 'b' },
      "'oidc_discovery_url' must be set for OIDC",
    ],
    [{ jwksUrl: 'file:///etc/passwd' }, "'jwks_url' must be an https URL such as https://id.example.com"],
    [
      { oidcDiscoveryUrl: 'id.test' },
      "'oidc_discovery_url' must be an https URL such as https://id.example.com",
    ],
    [
      { oidcDiscoveryUrl: 'https://u:p@id.test' },
      "'oidc_discovery_url' must be an https URL such as https://id.example.com",
    ],
    [
      { jwksUrl: 'https://id.test', jwtSupportedAlgs: ['RS256', 'HS256'] },
      `'jwt_supported_algs': "HS256" is not one of RS256, RS384, RS512, ES256, ES384, ES512, PS256, PS384, PS512, EdDSA`,
    ],
    [
      { jwksUrl: 'https://id.test', jwtSupportedAlgs: ['none'] },
      `'jwt_supported_algs': "none" is not one of RS256, RS384, RS512, ES256, ES384, ES512, PS256, PS384, PS512, EdDSA`,
    ],
  ])('%j is refused: %s', (input, message) => {
    expect(writeJwtConfig(undefined, input, env)).toMatchObject({
      refusal: { code: 'jwt_config_invalid', message },
    })
  })
})

describe('a role', () => {
  it('is kept in lower case, and keeps the fields that a write omits', () => {
    const role = roleOf({ boundAudiences: ['a'], tokens: { policies: ['p'] } })
    expect(role).toMatchObject({ name: 'deploy', roleType: 'jwt', boundClaimsType: 'string' })
    const { state } = unwrapStep(
      writeJwtRole(role, { name: 'deploy', roleType: 'jwt', groupsClaim: 'groups' }, env),
    )
    expect(state).toEqual({ ...role, groupsClaim: 'groups' })
  })
  it.each([
    [{ roleType: 'saml' }, "invalid 'role_type': saml"],
    [{ boundClaimsType: 'regex' }, "invalid 'bound_claims_type': regex"],
    [{ userClaim: '' }, 'a user claim must be defined on the role'],
    [{ name: ' ' }, 'missing role name'],
    [{ boundSubject: '' }, 'must have at least one bound constraint when creating/updating a role'],
    [{ roleType: undefined }, "'allowed_redirect_uris' must be set if 'role_type' is 'oidc' or unspecified."],
    [
      { claimMappings: { a: 'role' } },
      'metadata key "role" is reserved and may not be a mapping destination',
    ],
    [{ claimMappings: { a: 'x', b: 'x' } }, 'multiple keys are mapped to metadata key "x"'],
    [{ boundClaimsType: 'glob', boundClaims: { a: ['x', 7] } }, 'claim is not a string: 7'],
    [{ boundClaims: { a: [] } }, 'bound_claims: "a" has no values, so no token would match'],
    [{ maxAgeSeconds: -1 }, 'max_age cannot be negative'],
  ])('%j is refused: %s', (input, message) => {
    expect(writeJwtRole(undefined, { ...base, ...input }, env)).toMatchObject({
      refusal: { code: 'jwt_role_invalid', message },
    })
  })
  it('admits only callers of its type and its networks', () => {
    const role = roleOf({ tokens: { boundCidrs: ['10.0.0.0/8'] } })
    const problem = (address: string | undefined, roleType: 'jwt' | 'oidc' = 'jwt') =>
      jwtRoleProblem(role, { roleType, address })?.refusal.code
    expect(problem('10.1.1.1')).toBeUndefined()
    expect([problem('192.0.2.1'), problem(undefined)]).toEqual(['permission_denied', 'permission_denied'])
    expect(problem('10.1.1.1', 'oidc')).toBe('jwt_role_type_refused')
  })
})

/** Role and claims → who logged in, or why not. */
const cases: readonly [Partial<JwtRoleInput>, object, string | object][] = [
  [{}, {}, { user: 'repo:acme/web', groups: [], metadata: { role: 'deploy' } }],
  [{}, { sub: 'repo:eve/web' }, 'error validating token: invalid subject (sub) claim'],
  [{ boundSubject: '', boundAudiences: ['a', 'b'] }, { aud: 'b' }, { user: 'repo:acme/web' }],
  [{ boundAudiences: ['a'] }, { aud: ['c', 'a'] }, { user: 'repo:acme/web' }],
  [
    { boundAudiences: ['a'] },
    {},
    'error validating token: invalid audience (aud) claim: audience claim does not match any bound audience',
  ],
  [
    { boundAudiences: ['a'] },
    { aud: 'A' },
    'error validating token: invalid audience (aud) claim: audience claim does not match any bound audience',
  ],
  [{}, { aud: 'a' }, 'audience claim found in JWT but no audiences bound to the role'],
  // Times and their leeways.
  [{}, { exp: now / 1000 - 59 }, { user: 'repo:acme/web' }],
  [
    {},
    { exp: now / 1000 - 61 },
    'error validating token: invalid expiration time (exp) claim: token is expired',
  ],
  [
    { clockSkewLeewaySeconds: -1 },
    { exp: now / 1000 - 1 },
    'error validating token: invalid expiration time (exp) claim: token is expired',
  ],
  [{ clockSkewLeewaySeconds: 600 }, { exp: now / 1000 - 599 }, { user: 'repo:acme/web' }],
  [
    {},
    { nbf: now / 1000 + 61 },
    'error validating token: invalid not before (nbf) claim: token not yet valid',
  ],
  [
    { expirationLeewaySeconds: -1, clockSkewLeewaySeconds: -1 },
    { exp: undefined, iat: now / 1000 - 1 },
    'error validating token: invalid expiration time (exp) claim: token is expired',
  ],
  [{ expirationLeewaySeconds: 600 }, { exp: undefined, iat: now / 1000 - 600 }, { user: 'repo:acme/web' }],
  // The user.
  [{ userClaim: 'email' }, { email: 'ada@id.test' }, { user: 'ada@id.test' }],
  [{ userClaim: 'email' }, {}, 'claim "email" not found in token'],
  [{ userClaim: 'id' }, { id: 7 }, 'claim "id" could not be converted to string'],
  [{ userClaim: '/who/name', userClaimJsonPointer: true }, { who: { name: 'ada' } }, { user: 'ada' }],
  [{ userClaim: '/who/name' }, { who: { name: 'ada' } }, 'claim "/who/name" not found in token'],
  [{ userClaim: '/who' }, { '/who': 'ada' }, { user: 'ada' }],
  [{ userClaim: 'constructor' }, {}, 'claim "constructor" not found in token'],
  [{ userClaim: 'n' }, { n: 'a\u001b[2J' }, 'claim "n" has control characters'],
  [{ userClaim: 'n' }, { n: ' ' }, 'missing claim "n"'],
  [{ userClaim: 'n' }, { n: 'x'.repeat(257) }, 'the claim "n" is longer than 256 characters'],
  // Metadata.
  [
    { claimMappings: { ref: 'branch', '/job/id': 'job', none: 'none' } },
    { ref: 'main', job: { id: '7' } },
    { metadata: { branch: 'main', job: '7', role: 'deploy' } },
  ],
  [{ claimMappings: { run: 'run' } }, { run: 7 }, "error converting claim 'run' to string"],
  // Groups.
  [{ groupsClaim: 'groups' }, { groups: ['dev', '', 'ops'] }, { groups: ['dev', 'ops'] }],
  [{ groupsClaim: 'groups' }, { groups: 'dev' }, { groups: ['dev'] }],
  [{ groupsClaim: '/realm/groups' }, { realm: { groups: ['dev'] } }, { groups: ['dev'] }],
  [{ groupsClaim: 'groups' }, {}, 'failed to fetch groups: "groups" claim not found in token'],
  [
    { groupsClaim: 'groups' },
    { groups: { dev: true } },
    '"groups" claim could not be converted to string list',
  ],
  [{ groupsClaim: 'groups' }, { groups: ['dev', 7] }, 'a value in the "groups" claim is not a string'],
  [
    { groupsClaim: 'groups' },
    { groups: Array.from({ length: 1001 }, String) },
    '"groups" claim has more than 1000 groups',
  ],
  // Bound claims.
  [{ boundClaims: { ref: 'main' } }, { ref: 'main' }, { user: 'repo:acme/web' }],
  [{ boundClaims: { ref: ['dev', 'main'] } }, { ref: ['x', 'main'] }, { user: 'repo:acme/web' }],
  [
    { boundClaims: { ref: 'main' } },
    { ref: 'Main' },
    'error validating claims: claim "ref" does not match any associated bound claim values',
  ],
  [{ boundClaims: { ref: 'main' } }, {}, 'error validating claims: claim "ref" is missing'],
  [{ boundClaims: { ref: 'main' } }, { ref: null }, 'error validating claims: claim "ref" is missing'],
  [
    { boundClaims: { ref: 'main' } },
    { ref: { a: 1 } },
    'error validating claims: received claim "ref" is not a string, bool, int or list',
  ],
  [
    { boundClaims: { ref: 'ma*' } },
    { ref: 'main' },
    'error validating claims: claim "ref" does not match any associated bound claim values',
  ],
  [{ boundClaims: { protected: true, run: 7 } }, { protected: true, run: 7 }, { user: 'repo:acme/web' }],
  [
    { boundClaims: { protected: true } },
    { protected: 'true' },
    'error validating claims: claim "protected" does not match any associated bound claim values',
  ],
  [{ boundClaims: { '/a/0/b': 'x' } }, { a: [{ b: 'x' }] }, { user: 'repo:acme/web' }],
  [{ boundClaims: { '/a~1b/c~0d': 'x' } }, { 'a/b': { 'c~d': 'x' } }, { user: 'repo:acme/web' }],
  [
    { boundClaims: { __proto__: 'x', toString: 'x' } },
    {},
    'error validating claims: claim "toString" is missing',
  ],
  [{ boundClaimsType: 'glob', boundClaims: { sub: 'repo:acme/*' } }, {}, { user: 'repo:acme/web' }],
  [{ boundClaimsType: 'glob', boundClaims: { sub: ['x', '*acme*b'] } }, {}, { user: 'repo:acme/web' }],
  [
    { boundClaimsType: 'glob', boundClaims: { sub: 'repo:eve/*' } },
    {},
    'error validating claims: claim "sub" does not match any associated bound claim values',
  ],
  [
    { boundClaimsType: 'glob', boundClaims: { run: '7' } },
    { run: 7 },
    'error validating claims: claim "run" does not match any associated bound claim values',
  ],
]

describe('a login', () => {
  it.each(cases)('of the role %j with %j: %j', (input, more, expected) => {
    const result = loginWithJwt(roleOf(input), { claims: { ...claims, ...more } }, env)
    if (typeof expected === 'string')
      expect(result).toMatchObject({ refusal: { code: 'jwt_refused', message: expected } })
    else expect(result.ok && result.value).toMatchObject(expected)
  })
  it('needs the issuer of the configuration', () => {
    const from = (iss: string | undefined) =>
      loginWithJwt(roleOf(), { claims: { ...claims, iss }, boundIssuer: 'https://id.test' }, env).ok
    expect([from('https://id.test'), from('https://evil.test'), from(undefined)]).toEqual([
      true,
      false,
      false,
    ])
  })
})

describe('patterns of bound claims', () => {
  it.each([
    ['', '', true],
    ['*', '', true],
    ['a*', 'a', true],
    ['a*a', 'a', false],
    ['a*a', 'aa', true],
    ['*a*b*', 'xaxbx', true],
    ['*b*a*', 'xaxbx', false],
    ['a.c', 'abc', false],
    ['**', 'anything', true],
    ['ab*ba', 'aba', false],
  ])('%j matches %j: %s', (pattern, text, expected) => {
    expect(matchesGlob(pattern, text)).toBe(expected)
  })
  it('match what a regular expression of the same meaning matches (property)', () => {
    const letters = fc.string({ unit: fc.constantFrom('a', 'b', '*'), maxLength: 6 })
    const texts = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 8 })
    fc.assert(
      fc.property(letters, texts, (pattern, text) => {
        expect(matchesGlob(pattern, text)).toBe(new RegExp(`^${pattern.replaceAll('*', '.*')}$`).test(text))
      }),
    )
  })
})

describe('a redirect', () => {
  const allowed = ['http://localhost:8250/oidc/callback', 'https://app.test/callback', 'http://[::1]/cb']
  it.each([
    ['http://localhost:8250/oidc/callback', true],
    ['http://localhost:9999/oidc/callback', true],
    ['http://[::1]:9999/cb', true],
    ['https://localhost:8250/oidc/callback', false],
    ['http://127.0.0.1:8250/oidc/callback', false],
    ['http://localhost:8250/oidc/callback?x=1', false],
    ['http://localhost.evil.test:8250/oidc/callback', false],
    ['https://app.test/callback', true],
    ['https://app.test:444/callback', false],
    ['https://app.test/callback/..', false],
    ['not a URL', false],
  ])('to %s is allowed: %s', (uri, expected) => {
    expect(isRedirectAllowed(allowed, uri)).toBe(expected)
  })
})
