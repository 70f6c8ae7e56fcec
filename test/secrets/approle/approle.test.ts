import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { unwrapStep } from '../../../src/index.ts'
import {
  type ApproleRoleInput,
  type ApproleSecretId,
  loginWithApprole,
  makeApproleSecretId,
  secretIdLifecycle,
  secretIdStatus,
  writeApproleRole,
} from '../../../src/secrets/approle/index.ts'

const at = (now: number) => ({ now, newId: (kind: string) => `${kind}-1` })
const env = at(0)
const roleOf = (input: Partial<ApproleRoleInput> = {}) =>
  unwrapStep(writeApproleRole(undefined, { name: 'CI', drawnRoleId: 'drawn', ...input }, env)).state
const names = { digest: 'd', accessor: 'a' }

describe('a role', () => {
  it('is kept in lower case with the role ID that was drawn, or chosen', () => {
    expect(roleOf()).toMatchObject({ name: 'ci', roleId: 'drawn', bindSecretId: true, secretIdNumUses: 0 })
    expect(roleOf({ roleId: 'mine' }).roleId).toBe('mine')
  })
  it('keeps its role ID and its life when it is written again', () => {
    const role = roleOf()
    const again = { name: 'ci', drawnRoleId: 'other', secretIdNumUses: 3 }
    const { state } = unwrapStep(writeApproleRole(role, again, { now: 1, newId: () => 'other' }))
    expect(state).toEqual({ ...role, secretIdNumUses: 3 })
  })
  it.each([
    [{ bindSecretId: false }, 'at least one constraint should be enabled on the role'],
    [{ roleId: '' }, 'missing role_id'],
    [{ secretIdNumUses: -1 }, 'secret_id_num_uses cannot be negative'],
    [{ secretIdBoundCidrs: ['10.0.0.0/99'] }, 'secret_id_bound_cidrs: "10.0.0.0/99" is not a network'],
    [{ localSecretIds: true }, 'local_secret_ids can only be modified during role creation'],
  ])('is not written as %j', (input, message) => {
    const refused = writeApproleRole(roleOf(), { name: 'ci', drawnRoleId: 'x', ...input }, env)
    expect(refused).toMatchObject({ refusal: { code: 'approle_role_invalid', message } })
  })
  it('may take no secret ID where its networks are known', () => {
    expect(roleOf({ bindSecretId: false, secretIdBoundCidrs: ['10.0.0.0/8'] }).bindSecretId).toBe(false)
  })
})

describe('a secret ID', () => {
  it('has the uses and the lifetime of its role, or fewer', () => {
    const role = roleOf({ secretIdNumUses: 5, secretIdTtlSeconds: 60 })
    const made = (input: object) =>
      unwrapStep(makeApproleSecretId(undefined, { ...names, ...input }, env, { role })).state
    expect(made({})).toMatchObject({ numUses: 5, ttlSeconds: 60, expiresAt: 60_000 })
    expect(made({ numUses: 1, ttlSeconds: 10 })).toMatchObject({ numUses: 1, expiresAt: 10_000 })
  })
  it.each([
    [{ numUses: 6 }, "num_uses cannot be higher than the role's secret_id_num_uses"],
    [{ numUses: 0 }, "num_uses cannot be higher than the role's secret_id_num_uses"],
    [{ ttlSeconds: 61 }, "ttl cannot be longer than the role's secret_id_ttl"],
    [{ ttlSeconds: 0 }, "ttl cannot be longer than the role's secret_id_ttl"],
    [{ cidrList: ['11.0.0.0/8'] }, '"11.0.0.0/8" is not a subset of the networks of the role'],
    [{ cidrList: ['10.0.0.0/7'] }, '"10.0.0.0/7" is not a subset of the networks of the role'],
    [{ tokenBoundCidrs: ['nowhere'] }, 'token_bound_cidrs: "nowhere" is not a network'],
  ])('is not made with %j', (input, message) => {
    const role = roleOf({ secretIdNumUses: 5, secretIdTtlSeconds: 60, secretIdBoundCidrs: ['10.0.0.0/8'] })
    expect(makeApproleSecretId(undefined, { ...names, ...input }, env, { role })).toMatchObject({
      refusal: { code: 'approle_secret_id_invalid', message },
    })
  })
  it('lives no longer than the mount allows', () => {
    const role = roleOf({ secretIdTtlSeconds: 600 })
    const policy = { role, maxTtlSeconds: 60 }
    expect(unwrapStep(makeApproleSecretId(undefined, names, env, policy)).state.expiresAt).toBe(60_000)
  })
  it('is not made for a role that takes none', () => {
    const role = roleOf({ bindSecretId: false, secretIdBoundCidrs: ['10.0.0.0/8'] })
    expect(makeApproleSecretId(undefined, names, env, { role })).toMatchObject({
      refusal: { code: 'approle_secret_id_unused' },
    })
  })
  it('is good for exactly its uses within its time, in any order of events', () => {
    const inputs = fc.record({
      numUses: fc.integer({ min: 0, max: 5 }),
      ttlSeconds: fc.integer({ min: 0, max: 60 }),
      waits: fc.array(fc.integer({ min: 0, max: 20_000 }), { maxLength: 12 }),
    })
    fc.assert(
      fc.property(inputs, ({ numUses, ttlSeconds, waits }) => {
        const role = roleOf()
        let secretId: ApproleSecretId | undefined = unwrapStep(
          makeApproleSecretId(undefined, { ...names, numUses, ttlSeconds }, env, { role }),
        ).state
        let now = 0
        let logins = 0
        for (const wait of waits) {
          now += wait
          const isOver = ttlSeconds > 0 && now >= ttlSeconds * 1000
          const isSpent = numUses > 0 && logins >= numUses
          if (secretId) expect(Object.keys(secretIdLifecycle)).toContain(secretIdStatus(secretId, now))
          const login = loginWithApprole(secretId, { role }, at(now))
          expect(login.ok).toBe(!isOver && !isSpent)
          if (!login.ok) continue
          logins += 1
          secretId = login.state
        }
      }),
    )
  })
})

describe('a login', () => {
  const role = roleOf({ tokens: { boundCidrs: ['10.0.0.0/8'], policies: ['deploy'] } })
  const secretId = unwrapStep(
    makeApproleSecretId(
      undefined,
      { ...names, tokenBoundCidrs: ['10.1.0.0/16'], metadata: { job: '7' } },
      env,
      {
        role,
      },
    ),
  ).state

  it('is refused with one text for a wrong role and a wrong secret ID', () => {
    const expired = { ...secretId, expiresAt: 0 }
    const wrong = loginWithApprole(undefined, { role: undefined }, env)
    expect(wrong).toMatchObject({ refusal: { message: 'invalid role or secret ID' } })
    expect(loginWithApprole(undefined, { role }, env)).toEqual(wrong)
    expect(loginWithApprole(expired, { role }, env)).toEqual(wrong)
  })
  it('binds the token to the networks of the secret ID, where it has some', () => {
    const address = '10.1.2.3'
    const login = unwrapStep(loginWithApprole(secretId, { role, address }, env)).value
    expect(login.settings).toMatchObject({ boundCidrs: ['10.1.0.0/16'], policies: ['deploy'] })
    expect(login.metadata).toEqual({ job: '7' })
    expect(loginWithApprole(secretId, { role, address: '10.2.0.1' }, env)).toMatchObject({
      refusal: { code: 'permission_denied' },
    })
  })
})
