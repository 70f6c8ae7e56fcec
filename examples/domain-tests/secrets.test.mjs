// The rules of versioned secrets and tokens, tested as pure functions: no server, no store, no waiting.
import { unwrap, unwrapStep } from 'plinth'
import { compileAcl, decide, parsePolicy } from 'plinth/acl'
import { deleteVersions, readSecret, undeleteVersions, writeSecret } from 'plinth/kv'
import { testClock } from 'plinth/testing'
import { createToken, isExpired, renewToken, rootToken } from 'plinth/tokens'
import { describe, expect, it } from 'vitest'

describe('a versioned secret', () => {
  const clock = testClock()
  const written = unwrapStep(writeSecret(undefined, { cas: 0 }, clock.env())).state

  it('refuses a write that is based on an old version', () => {
    const outcome = writeSecret(written, { cas: 0 }, clock.env())
    expect(outcome).toMatchObject({ ok: false, refusal: { code: 'cas_mismatch' } })
  })

  it('comes back after it was deleted', () => {
    const deleted = unwrapStep(deleteVersions(written, { versions: [1] }, clock.env())).state
    expect(readSecret(deleted, 1, clock.now()).kind).toBe('gone')
    const back = unwrapStep(undeleteVersions(deleted, { versions: [1] }, clock.env())).state
    expect(readSecret(back, 1, clock.now()).kind).toBe('live')
  })
})

describe('a token', () => {
  it('lives as long as it is renewed, and no longer', async () => {
    const clock = testClock()
    const root = rootToken({ digest: 'root', accessor: 'r' }, clock.env())
    const input = { digest: 'd', accessor: 'a', policies: ['dev'], ttlSeconds: 60, explicitMaxTtlSeconds: 90 }
    const { token } = unwrap(createToken(root, input, clock.env()))
    await clock.advance(50_000)
    const renewed = unwrapStep(renewToken(token, { incrementSeconds: 60 }, clock.env())).state
    await clock.advance(30_000)
    expect(isExpired(renewed, clock.now())).toBe(false)
    await clock.advance(10_000)
    expect(isExpired(renewed, clock.now())).toBe(true)
  })
})

it.each([
  ['secret/data/app', 'read', true],
  ['secret/data/app', 'update', false],
  ['secret/data/app/private', 'read', false],
])('the policy decides about %s: %s is %s', (path, operation, allowed) => {
  const text = `path "secret/data/*" { capabilities = ["read"] }
    path "secret/data/+/private" { capabilities = ["deny"] }`
  const acl = compileAcl([{ policy: unwrap(parsePolicy('dev', text)) }])
  expect(decide(acl, { path, operation }).allowed).toBe(allowed)
})
