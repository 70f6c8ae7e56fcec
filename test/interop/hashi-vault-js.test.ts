import Vault from 'hashi-vault-js'
import { describe, expect, it } from 'vitest'
import { servedSecrets } from './served-secrets.ts'

const served = servedSecrets()

/** The client's declarations know its parameters by name only, and its answers not at all. */
// biome-ignore lint/suspicious/noExplicitAny: the client's declarations leave most of it out
type Client = any

const connect = (): Client => new Vault({ baseUrl: `${served().url}/v1`, timeout: 60_000 })

const statusOf = async (act: Promise<unknown>): Promise<number> => {
  const error = await act.then(
    () => undefined,
    (thrown: { isVaultError: boolean; response: { status: number } }) => thrown,
  )
  if (error?.isVaultError !== true) throw new Error('a refusal was expected')
  return error.response.status
}

describe('hashi-vault-js', () => {
  it('reads what the server says of itself', async () => {
    const vault = connect()
    const { token } = served()
    expect(await vault.healthCheck()).toMatchObject({ initialized: true, sealed: false })
    expect(await vault.sealStatus()).toMatchObject({ type: 'shamir', sealed: false })
    expect(await vault.sysHostInfo(token)).toHaveProperty('timestamp')
    expect(await vault.sysCapabilities(token, token, ['secret/data/x'])).toMatchObject({
      'secret/data/x': ['root'],
    })
    expect(await vault.sysCapabilitiesSelf(token, ['secret/data/x'])).toMatchObject({
      capabilities: ['root'],
    })
    expect((await vault.sysInternalCounters(token, 'tokens')).counters.service_tokens.total).toBeGreaterThan(
      0,
    )
    expect((await vault.sysInternalCounters(token, 'entities')).counters.entities.total).toBe(0)
    expect(await vault.sysInternalCounters(token, 'requests')).toHaveProperty('counters')
    expect((await vault.sysMetrics(token)).Gauges).toContainEqual(
      expect.objectContaining({ Name: 'secrets.core.unsealed', Value: 1 }),
    )
  })

  it('makes, renews and revokes tokens, by accessor too', async () => {
    const vault = connect()
    const { token } = served()
    const made = await vault.createToken(token, { policies: ['team'], ttl: '1h', meta: { job: '7' } })
    expect(made).toMatchObject({ policies: ['default', 'team'], metadata: { job: '7' } })
    expect((await vault.lookupToken(token, made.client_token)).accessor).toBe(made.accessor)
    expect((await vault.lookupSelfToken(made.client_token)).id).toBe(made.client_token)
    expect((await vault.renewToken(token, made.client_token, '10m')).lease_duration).toBe(600)
    expect((await vault.renewSelfToken(made.client_token, '20m')).lease_duration).toBe(1200)
    expect((await vault.renewAccessor(token, made.accessor, '30m')).lease_duration).toBe(1800)
    expect((await vault.listAccessors(token)).keys).toContain(made.accessor)
    expect((await vault.lookupAccessor(token, made.accessor)).id).toBe('')
    await vault.revokeAccessor(token, made.accessor)
    expect(await statusOf(vault.lookupSelfToken(made.client_token))).toBe(403)
    const other = await vault.createToken(token, {})
    await vault.revokeToken(token, other.client_token)
    expect(await statusOf(vault.revokeSelfToken(other.client_token))).toBe(403)
  })

  it('manages users, and logs them in', async () => {
    const vault = connect()
    const { token, service } = served()
    await service.mounts.enable({ path: 'auth/userpass/', type: 'userpass' })
    await vault.createUserpassUser(token, 'ada', 'correct horse', ['team'])
    expect((await vault.readUserpassUser(token, 'ada')).token_policies).toEqual(['team'])
    expect((await vault.listUserpassUsers(token)).keys).toEqual(['ada'])
    const login = await vault.loginWithUserpass('ada', 'correct horse')
    expect(login).toMatchObject({ policies: ['default', 'team'], metadata: { username: 'ada' } })
    await vault.updateUserpassPassword(token, 'ada', 'battery staple')
    expect(await statusOf(vault.loginWithUserpass('ada', 'correct horse'))).toBe(400)
    await vault.updateUserpassPolicies(token, 'ada', ['crew'])
    expect((await vault.loginWithUserpass('ada', 'battery staple')).policies).toEqual(['crew', 'default'])
    await vault.deleteUserpassUser(token, 'ada')
    expect(await statusOf(vault.readUserpassUser(token, 'ada'))).toBe(404)
  })

  it('logs machines in', async () => {
    const vault = connect()
    const { token, service } = served()
    await service.mounts.enable({ path: 'auth/approle/', type: 'approle' })
    await service.approle().writeRole('ci', { roleId: 'ci-runner', tokens: { policies: ['deploy'] } })
    const { secret_id } = await vault.generateAppRoleSecretId(token, 'ci', '{"job":"7"}')
    expect((await vault.readAppRoleSecretId(token, 'ci', secret_id)).metadata).toEqual({ job: '7' })
    expect((await vault.loginWithAppRole('ci-runner', secret_id)).policies).toEqual(['default', 'deploy'])
    await vault.destroyAppRoleSecretId(token, 'ci', secret_id)
    expect(await statusOf(vault.loginWithAppRole('ci-runner', secret_id))).toBe(400)
  })

  it('keeps versioned secrets', async () => {
    const vault = connect()
    const { token } = served()
    expect((await vault.createKVSecret(token, 'app/db', { user: 'ada' })).version).toBe(1)
    expect((await vault.updateKVSecret(token, 'app/db', { user: 'bob' }, 1)).version).toBe(2)
    expect((await vault.readKVSecret(token, 'app/db', 1)).data).toEqual({ user: 'ada' })
    expect((await vault.listKVSecrets(token, 'app')).keys).toEqual(['db'])
    await vault.createKVSecretMeta(token, 'app/db', { custom_metadata: { team: 'red' } })
    expect((await vault.readKVSecretMeta(token, 'app/db')).custom_metadata).toEqual({ team: 'red' })
    await vault.deleteLatestVerKVSecret(token, 'app/db')
    expect(await statusOf(vault.readKVSecret(token, 'app/db'))).toBe(404)
    await vault.undeleteVersionsKVSecret(token, 'app/db', [2])
    await vault.deleteVersionsKVSecret(token, 'app/db', [1])
    await vault.destroyVersionsKVSecret(token, 'app/db', [1])
    expect((await vault.readKVSecret(token, 'app/db')).data).toEqual({ user: 'bob' })
    await vault.eliminateKVSecret(token, 'app/db')
    expect(await statusOf(vault.readKVSecretMeta(token, 'app/db'))).toBe(404)
    await vault.updateKVEngineConfig(token, { max_versions: 4 })
    expect((await vault.readKVEngineConfig(token)).max_versions).toBe(4)
  })
})
