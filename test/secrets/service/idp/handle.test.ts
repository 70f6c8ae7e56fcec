import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { unwrap } from '../../../../src/kernel/index.ts'
import type { IdpProvider, ProviderAnswer } from '../../../../src/secrets/idp/index.ts'
import { memoryStore } from '../../../../src/store/index.ts'
import { scriptedProvider } from '../../../../src/testing/index.ts'
import { client } from '../client.ts'

describe('a program that embeds the service', () => {
  it('configures, logs in and renews without HTTP', async () => {
    const idpProvider = scriptedProvider({ users: { ada: { password: 'hunter2', groups: ['Dev'] } } })
    const { service } = await client({ idpProvider })
    const idp = service.idp()
    expect(await idp.configure({})).toMatchObject({ refusal: { code: 'idp_org_missing' } })
    expect(await idp.configure({ orgName: 'acme', apiToken: 't', tokens: { ttlSeconds: 60 } })).toMatchObject(
      { ok: true },
    )
    expect(await idp.readConfig()).toMatchObject({ value: { orgName: 'acme' } })
    expect(JSON.stringify(await idp.readConfig())).not.toContain('apiToken')
    await idp.writeGroup('DEV', ['web'])
    await idp.writeUser('ada', { policies: ['own'] })
    const login = await idp.login({ username: 'ada', password: 'hunter2' })
    expect(login).toMatchObject({ value: { policies: ['default', 'own', 'web'], ttlSeconds: 60 } })
    if (!login.ok) throw new Error(login.refusal.message)
    expect(await service.tokens.renew({ token: login.value.token })).toMatchObject({
      value: { ttlSeconds: 60 },
    })
    await idp.writeGroup('dev', [])
    expect(await service.tokens.renew({ token: login.value.token })).toMatchObject({
      refusal: { code: 'idp_policies_changed' },
    })
    expect(await idp.login({ username: 'ada', password: 'x' })).toMatchObject({
      refusal: { code: 'idp_refused' },
    })
    expect(await service.idp('elsewhere').login({ username: 'a', password: 'b' })).toMatchObject({
      refusal: { code: 'mount_gone' },
    })
  })

  it('ends all logins with the method that gave them', async () => {
    const idpProvider = scriptedProvider({ users: { ada: { password: 'hunter2' } } })
    for (const type of ['service', 'batch'] as const) {
      const { service, ask } = await client({ idpProvider })
      await service.idp().configure({ orgName: 'acme', tokens: { type } })
      const login = unwrap(await service.idp().login({ username: 'ada', password: 'hunter2' }))
      expect(await service.tokens.lookup({ token: login.token })).toMatchObject({ value: { type } })
      await ask('DELETE', '/v1/sys/auth/idp')
      expect(await service.tokens.lookup({ token: login.token })).toEqual({ ok: true, value: undefined })
      expect(unwrap(await service.tokens.accessors())).not.toContain(login.accessor)
    }
  })

  it('gives no token for a method that was taken away while its user took their time', async () => {
    let answer: (step: ProviderAnswer) => void = () => {}
    const asked = new Promise<ProviderAnswer>((resolve) => {
      answer = resolve
    })
    const provider: IdpProvider = {
      authenticate: () => asked,
      verifyFactor: () => asked,
      listGroups: async () => ({ kind: 'groups', names: [] }),
    }
    const { service } = await client({ idpProvider: provider })
    await service.idp().configure({ orgName: 'acme' })
    const login = service.idp().login({ username: 'ada', password: 'hunter2' })
    await service.mounts.disable('auth/idp')
    answer({ kind: 'step', status: 'SUCCESS' })
    expect(await login).toMatchObject({ refusal: { code: 'mount_gone' } })
  })

  it('logs in users that the provider accepts after sealing and unsealing', async () => {
    let answer: (step: ProviderAnswer) => void = () => {}
    const asked = new Promise<ProviderAnswer>((resolve) => {
      answer = resolve
    })
    let reached = () => {}
    const arrival = new Promise<void>((resolve) => {
      reached = resolve
    })
    const { head, read, commit, changes, import: fill, close } = memoryStore()
    const { service, unsealKeys } = await client({
      store: { head, read, commit, changes, import: fill, close },
      idpProvider: {
        authenticate: () => {
          reached()
          return asked
        },
        verifyFactor: () => asked,
        listGroups: async () => ({ kind: 'groups', names: [] }),
      },
    })
    await service.idp().configure({ orgName: 'acme' })
    const login = service.idp().login({ username: 'ada', password: 'hunter2' })
    await arrival
    await service.seal.seal()
    for (const key of unsealKeys) await service.seal.unseal(key)
    answer({ kind: 'step', status: 'SUCCESS' })
    expect(await login).toMatchObject({ ok: true })
    await service.close()
  })

  it('makes and deletes namespaces', async () => {
    const { service } = await client()
    expect(await service.namespaces.create('team/a')).toMatchObject({
      refusal: { code: 'namespace_not_found' },
    })
    expect(await service.namespaces.create('team')).toMatchObject({ value: { path: 'team/' } })
    expect(await service.namespaces.create('team/a')).toMatchObject({ value: { path: 'team/a/' } })
    expect(await service.namespaces.list('team')).toMatchObject({ value: [{ path: 'team/a/' }] })
    expect(await service.namespaces.delete('team')).toMatchObject({
      refusal: { code: 'namespace_not_empty' },
    })
    expect(await service.namespaces.delete('team/a')).toMatchObject({ value: true })
  })
})

describe('logins at the same time', () => {
  /** A provider whose users decide on their other device, whenever they like. */
  const deciding = () => {
    const decisions = new Map<string, 'approve' | 'reject'>()
    const verified = new Set<string>()
    const provider: IdpProvider = {
      authenticate: async ({ username, password }): Promise<ProviderAnswer> =>
        password === 'right'
          ? {
              kind: 'step',
              status: 'MFA_REQUIRED',
              stateToken: username,
              userId: username,
              factors: [{ id: username, type: 'push', provider: 'IDP' }],
            }
          : { kind: 'verdict', message: 'Authentication failed', code: 'E0000004' },
      verifyFactor: async ({ stateToken }): Promise<ProviderAnswer> => {
        const decision = decisions.get(stateToken)
        if (decision === 'approve') {
          verified.add(stateToken)
          return { kind: 'step', status: 'SUCCESS', userId: stateToken }
        }
        const factorResult = decision === 'reject' ? 'REJECTED' : 'WAITING'
        return {
          kind: 'step',
          status: 'MFA_CHALLENGE',
          factorResult,
          stateToken,
          correctAnswer: stateToken.length,
        }
      },
      listGroups: async () => ({ kind: 'groups', names: [] }),
    }
    return { provider, decisions, verified }
  }
  const user = fc.constantFrom('a', 'bb', 'ccc')
  const act = fc.oneof(
    fc.record({
      kind: fc.constant('login' as const),
      user,
      password: fc.constantFrom('right', 'right', 'wrong'),
      nonce: fc.constantFrom('n', 'm'),
    }),
    fc.record({
      kind: fc.constant('decide' as const),
      user,
      decision: fc.constantFrom('approve' as const, 'reject' as const),
    }),
    fc.record({ kind: fc.constant('wait' as const), ms: fc.constantFrom(1, 1000, 5000, 95_000) }),
    fc.record({ kind: fc.constant('look' as const), nonce: fc.constantFrom('n', 'm', 'x') }),
  )

  it('give no token without the factor, for any steps in any order', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(act, { minLength: 1, maxLength: 15 }), async (acts) => {
        const { provider, decisions, verified } = deciding()
        const { service, clock, errors } = await client({ idpProvider: provider })
        const idp = service.idp()
        await idp.configure({ orgName: 'acme' })
        const open: Promise<void>[] = []
        let pending = 0
        for (const step of acts) {
          if (step.kind === 'wait') await clock.advance(step.ms)
          else if (step.kind === 'decide') decisions.set(step.user, step.decision)
          else if (step.kind === 'look') {
            const answer = await idp.answerOf(step.nonce)
            // A number is shown only while some login is under way.
            if (answer !== undefined) expect(pending).toBeGreaterThan(0)
          } else {
            pending += 1
            const attempt = idp
              .login({ username: step.user, password: step.password, nonce: step.nonce })
              .then((result) => {
                pending -= 1
                if (!result.ok) return
                expect(step.password).toBe('right')
                expect(verified).toContain(step.user)
              })
            open.push(attempt)
          }
        }
        while (pending > 0) await clock.advance(30_000)
        await Promise.all(open)
        for (const nonce of ['n', 'm']) expect(await idp.answerOf(nonce)).toBeUndefined()
        expect(errors).toEqual([])
        await service.close()
      }),
      { numRuns: 60 },
    )
  })
})
