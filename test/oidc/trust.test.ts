import { describe, expect, it } from 'vitest'
import { nodeCrypto } from '../../src/crypto/index.ts'
import { type TrustRule, trustRuleProblem, trustRules } from '../../src/oidc/index.ts'
import { testClock } from '../../src/testing/index.ts'
import {
  pemOf,
  providerKey,
  signToken,
  signWithSecret,
  testProvider,
  unsignedToken,
} from '../support/identity-provider.ts'

const audience = 'https://registry.example.com'
const rule: TrustRule = {
  name: 'github',
  issuer: 'https://id.test',
  claims: { aud: audience, repository: 'acme/*', ref: ['refs/heads/main', 'refs/tags/v*'] },
  namespaces: ['acme'],
}

describe('a trust rule', () => {
  it.each<[Partial<TrustRule>, string | undefined]>([
    [{}, undefined],
    [{ issuer: 'http://127.0.0.1:5556' }, undefined],
    [{ issuer: 'http://id.test' }, 'issuer: expected an https URL, such as https://gitlab.com'],
    [{ issuer: 'id.test' }, 'issuer: expected an https URL, such as https://gitlab.com'],
    [{ namespaces: [] }, 'namespaces: name at least one'],
    [
      { claims: { repository: 'acme/web' } },
      'claims.aud: name the audience of the tokens, so that tokens for other services are not accepted',
    ],
    [
      { claims: { aud: '*', repository: 'acme/web' } },
      'claims.aud: name the audience of the tokens, so that tokens for other services are not accepted',
    ],
    [
      { claims: { aud: audience } },
      'claims: bind a claim that says whose the tokens are, such as repository or project_path',
    ],
    [
      { claims: { aud: audience, repository: '*' } },
      'claims: bind a claim that says whose the tokens are, such as repository or project_path',
    ],
    [
      { claims: { aud: audience, repository: ['acme/web', '**'] } },
      'claims: bind a claim that says whose the tokens are, such as repository or project_path',
    ],
    [{ claims: { aud: audience, repository: [] } }, 'claims.repository: name at least one value'],
    [{ namespaces: ['a', 'a b'] }, 'namespaces: "a b" is not a valid namespace'],
  ])('%j has the problem %s', (change, problem) => {
    expect(trustRuleProblem({ ...rule, ...change }, (name) => name !== 'a b')).toBe(problem)
  })
})

describe('a token', () => {
  const clock = testClock()
  const provider = testProvider({
    issuer: rule.issuer,
    now: clock.now,
    keys: [providerKey('first', 'RS256')],
  })
  const host = { fetch: provider.fetch, timers: clock.timers, crypto: nodeCrypto(), env: clock.env }
  const other = {
    ...rule,
    name: 'net',
    claims: { aud: audience, repository: 'acme/net' },
    namespaces: ['net', 'acme'],
  }
  const { judge } = trustRules([rule, other], host)
  const job = {
    sub: 'repo:acme/web:ref:refs/heads/main',
    aud: audience,
    repository: 'acme/web',
    ref: 'refs/heads/main',
  }
  const verdict = async (token: string) => {
    const judged = await judge(token)
    return judged === undefined || judged.ok ? judged?.value : judged.refusal.message
  }
  it('of a repository that a rule names publishes into the namespaces of all rules that it satisfies', async () => {
    expect(await verdict(provider.token(job))).toEqual({ subject: job.sub, namespaces: ['acme'] })
    expect(await verdict(provider.token({ ...job, repository: 'acme/net' }))).toEqual({
      subject: job.sub,
      namespaces: ['acme', 'net'],
    })
    expect(await verdict(provider.token({ ...job, ref: 'refs/tags/v1' }))).toMatchObject({
      namespaces: ['acme'],
    })
  })
  it.each<[string, string, RegExp]>([
    [
      'of another repository',
      provider.token({ ...job, repository: 'eve/acme' }),
      /satisfies no trust rule \(github: claim "repository" does not match.*; net: claim "repository"/,
    ],
    ['of a branch', provider.token({ ...job, ref: 'refs/heads/fix' }), /github: claim "ref" does not match/],
    [
      'for another service',
      provider.token({ ...job, aud: 'sigstore' }),
      /github: claim "aud" does not match/,
    ],
    ['without an audience', provider.token({ ...job, aud: undefined }), /github: claim "aud" is missing/],
    [
      'of a foreign issuer',
      provider.token({ ...job, iss: 'https://evil.test' }),
      /no trust rule is for the issuer "https:\/\/evil\.test"/,
    ],
    ['without an issuer', provider.token({ ...job, iss: undefined }), /no trust rule is for the issuer ""/],
    [
      'of a foreign key',
      signToken(providerKey('evil', 'RS256'), { ...job, iss: rule.issuer }),
      /no known key/,
    ],
    ['that has expired', provider.token({ ...job, exp: 1 }), /token is expired/],
    ['without a signature', unsignedToken({ ...job, iss: rule.issuer }), /signed with "none"/],
    [
      'signed with the public key',
      signWithSecret(pemOf(providerKey('first', 'RS256')), { ...job, iss: rule.issuer }),
      /signed with "HS256"/,
    ],
    ['without a subject', provider.token({ ...job, sub: undefined }), /no subject/],
    ['with a subject that writes to terminals', provider.token({ ...job, sub: '\u001b[2J' }), /no subject/],
  ])('%s is refused', async (_title, token, message) => {
    expect(await verdict(token)).toEqual(expect.stringMatching(message))
  })
  it('of another kind is not judged', () => {
    for (const text of ['', 'rt.abc', 'a.b.c', 'eyJ', `eyJ${'x'.repeat(1_000_000)}`])
      expect(judge(text)).toBeUndefined()
  })
})
