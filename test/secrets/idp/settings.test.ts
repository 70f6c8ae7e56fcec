import { describe, expect, it } from 'vitest'
import {
  entitlements,
  type IdpConfig,
  renewalProblem,
  writeIdpConfig,
  writeIdpGroup,
  writeIdpUser,
} from '../../../src/secrets/idp/index.ts'
import { rootToken, unsetTokenSettings } from '../../../src/secrets/tokens/index.ts'

const env = { now: 0, newId: () => 'id' }
const config = (input: Parameters<typeof writeIdpConfig>[1], before?: IdpConfig) => {
  const outcome = writeIdpConfig(before, input, env)
  if (!outcome.ok) return outcome.refusal.message
  return outcome.state
}

describe('the configuration', () => {
  it('needs the organisation on every write', () => {
    expect(config({})).toBe('org_name is missing')
    const before = config({ orgName: 'acme' })
    expect(typeof before === 'object' && config({ bypassMfa: true }, before)).toBe('org_name is missing')
  })
  it('keeps what a write leaves out', () => {
    const before = config({
      orgName: 'acme',
      apiToken: 'secret',
      tokens: { ttlSeconds: 60, policies: ['web'] },
    })
    const after =
      typeof before === 'object' &&
      config({ orgName: 'acme', tokens: { maxTtlSeconds: 120, policies: undefined } }, before)
    expect(after).toMatchObject({
      apiToken: 'secret',
      tokens: { ttlSeconds: 60, maxTtlSeconds: 120, policies: ['web'] },
    })
  })
  it.each([
    ['http://[', /base_url/],
    ['ftp://example.com', /base_url/],
    ['user@example.com', /base_url/],
  ])('refuses %s as a base', (baseUrl, message) =>
    expect(config({ orgName: 'acme', baseUrl })).toMatch(message),
  )
  it('refuses settings that contradict each other', () => {
    expect(config({ orgName: 'acme', tokens: { ttlSeconds: 2, maxTtlSeconds: 1 } })).toMatch(/token_ttl/)
  })
  it('warns while factors are bypassed', () => {
    const outcome = writeIdpConfig(undefined, { orgName: 'acme', bypassMfa: true }, env)
    expect(outcome.ok && outcome.value).toHaveLength(1)
  })
})

describe('users and groups', () => {
  it('are replaced whole', () => {
    const before = { username: 'ada', groups: ['dev'], policies: ['web'] }
    const outcome = writeIdpUser(before, { username: 'ada', groups: [' ops ', ''] }, env)
    expect(outcome.ok && outcome.state).toEqual({ username: 'ada', groups: ['ops'], policies: [] })
  })
  it('keep group names and their policies in lower case', () => {
    const outcome = writeIdpGroup(undefined, { name: 'Dev', policies: ['Web', 'web', 'db'] }, env)
    expect(outcome.ok && outcome.state).toEqual({ name: 'dev', policies: ['db', 'web'] })
  })
  it('add up to what a user is entitled to', () => {
    const find = (name: string) =>
      ({ dev: { name, policies: ['web'] }, ops: { name, policies: ['db'] } })[name]
    expect(entitlements({ username: 'ada', groups: ['OPS'], policies: ['own'] }, ['Dev', ''], find)).toEqual({
      groups: ['Dev', 'OPS'],
      policies: ['db', 'own', 'web'],
    })
    expect(entitlements(undefined, [], find)).toEqual({ groups: [], policies: [] })
  })
})

describe('renewal', () => {
  const token = { ...rootToken({ digest: '', accessor: '' }, env), policies: ['default', 'ops', 'web'] }
  const settings = { ...unsetTokenSettings, policies: ['OPS'] }
  it('goes on while the policies are the same, default aside', () => {
    expect(renewalProblem(token, settings, ['web', 'web'])).toBeUndefined()
  })
  it('ends when they differ', () => {
    expect(renewalProblem(token, settings, ['web', 'more'])?.refusal.message).toMatch(/policies have changed/)
    expect(renewalProblem(token, settings, [])?.refusal.code).toBe('idp_policies_changed')
  })
})
