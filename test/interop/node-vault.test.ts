import nodeVault from 'node-vault'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Listening, serve } from '../../src/http/node/index.ts'
import { createSecrets, devSecrets, type Secrets } from '../../src/secrets/index.ts'

/** The client's own methods answer what the server sent; some of them its type declarations do not name. */
// biome-ignore lint/suspicious/noExplicitAny: the client's declarations leave most of it out
type Client = any

let service: Secrets
let listening: Listening
let token: string
const errors: unknown[] = []

const connect = (endpoint: string, withToken: string | undefined, noCustomHTTPVerbs = false): Client =>
  nodeVault({ endpoint, noCustomHTTPVerbs, ...(withToken === undefined ? {} : { token: withToken }) })

const refusal = async (act: Promise<unknown>): Promise<{ status: number; errors: unknown }> => {
  try {
    await act
  } catch (error) {
    const { response } = error as { response: { statusCode: number; body: { errors: unknown } } }
    return { status: response.statusCode, errors: response.body.errors }
  }
  throw new Error('a refusal was expected')
}

beforeAll(async () => {
  const dev = await devSecrets({ onError: (error) => errors.push(error) })
  service = dev.service
  token = dev.rootToken
  listening = await serve({ fetch: service.fetch })
})

afterAll(async () => {
  await listening.close({ drainMs: 500 })
  await service.close()
  expect(errors).toEqual([])
})

describe.each([
  ['with the LIST verb', false],
  ['with ?list=1', true],
])('node-vault, %s', (_, noCustomHTTPVerbs) => {
  const prefix = noCustomHTTPVerbs ? 'q' : 'v'

  it('reads, writes, updates, lists and deletes versioned secrets', async () => {
    const vault = connect(listening.url, token, noCustomHTTPVerbs)
    const path = `secret/data/${prefix}/db`
    const written = await vault.write(path, { data: { user: 'ada', n: 1 }, options: { cas: 0 } })
    expect(written.data.version).toBe(1)
    expect((await vault.read(path)).data.data).toEqual({ user: 'ada', n: 1 })
    await vault.update(path, { data: { n: null, m: 2 } })
    expect((await vault.read(path)).data.data).toEqual({ user: 'ada', m: 2 })
    expect((await vault.list('secret/metadata')).data.keys).toContain(`${prefix}/`)
    expect((await vault.list(`secret/metadata/${prefix}`)).data.keys).toEqual(['db'])
    await vault.delete(path)
    expect(await refusal(vault.read(path))).toMatchObject({ status: 404 })
  })

  it('works with plain secrets on a mount it made', async () => {
    const vault = connect(listening.url, token, noCustomHTTPVerbs)
    const mount = `plain-${prefix}`
    await vault.mount({ mount_point: mount, type: 'kv', description: 'mine' })
    expect((await vault.mounts())[`${mount}/`]).toMatchObject({ type: 'kv', description: 'mine' })
    await vault.write(`${mount}/a`, { password: 'x' })
    expect((await vault.read(`${mount}/a`)).data).toEqual({ password: 'x' })
    expect((await vault.list(mount)).data.keys).toEqual(['a'])
    await vault.remount({ from: mount, to: `moved-${prefix}` })
    expect((await vault.read(`moved-${prefix}/a`)).data).toEqual({ password: 'x' })
    await vault.unmount({ mount_point: `moved-${prefix}` })
    expect(await refusal(vault.read(`moved-${prefix}/a`))).toMatchObject({ status: 404 })
  })

  it('manages policies and tokens', async () => {
    const vault = connect(listening.url, token, noCustomHTTPVerbs)
    const rules = 'path "secret/data/mine/*" { capabilities = ["create", "read"] }'
    await vault.addPolicy({ name: 'mine', rules })
    expect((await vault.getPolicy({ name: 'mine' })).rules).toBe(rules)
    expect((await vault.policies()).policies).toContain('mine')
    const made = await vault.tokenCreate({ policies: ['mine'], ttl: '1h', renewable: true })
    // The client goes on as the token it made.
    vault.token = token
    const limited = connect(listening.url, made.auth.client_token, noCustomHTTPVerbs)
    await limited.write(`secret/data/mine/${prefix}`, { data: { a: 1 } })
    expect((await limited.read(`secret/data/mine/${prefix}`)).data.data).toEqual({ a: 1 })
    expect(await refusal(limited.read('secret/data/other'))).toEqual({
      status: 403,
      errors: ['permission denied'],
    })
    expect((await limited.tokenLookupSelf()).data.policies).toEqual(['default', 'mine'])
    expect((await limited.tokenRenewSelf({ increment: '10m' })).auth.lease_duration).toBe(600)
    await vault.tokenRevoke({ token: made.auth.client_token })
    expect(await refusal(limited.tokenLookupSelf())).toMatchObject({ status: 403 })
    await vault.addTokenRole({ role_name: 'nightly', orphan: true, renewable: false })
    // What its own schema of roles does not know, it leaves out.
    await vault.write('auth/token/roles/batchy', { orphan: true, renewable: false, token_type: 'batch' })
    expect((await vault.tokenRoles()).data.keys).toEqual(['batchy', 'nightly'])
    const batch = await vault.write('auth/token/create/batchy', { policies: ['mine'] })
    expect(batch.auth).toMatchObject({ token_type: 'batch', accessor: '' })
    const batched = connect(listening.url, batch.auth.client_token, noCustomHTTPVerbs)
    expect((await batched.read(`secret/data/mine/${prefix}`)).data.data).toEqual({ a: 1 })
    await vault.removePolicy({ name: 'mine' })
  })

  it('ends leases by prefix and turns the key ring', async () => {
    const vault = connect(listening.url, token, noCustomHTTPVerbs)
    const made = await vault.tokenCreate({ policies: ['default'], ttl: '1h' })
    vault.token = token
    const limited = connect(listening.url, made.auth.client_token, noCustomHTTPVerbs)
    expect((await limited.tokenLookupSelf()).data.policies).toEqual(['default'])
    expect(await refusal(vault.renew({ lease_id: 'auth/token/create/habc' }))).toEqual({
      status: 400,
      errors: ['lease not found'],
    })
    await vault.revoke({ lease_id: 'auth/token/create/habc' })
    await vault.revokePrefix({ path_prefix: 'auth/token/create' })
    expect(await refusal(limited.tokenLookupSelf())).toMatchObject({ status: 403 })
    const before = (await vault.read('sys/key-status')).term
    await vault.rotate()
    expect((await vault.read('sys/key-status')).term).toBe(before + 1)
    expect((await vault.audits()).data).toEqual({})
    const { data } = await vault.write('sys/tools/random/16', { format: 'hex' })
    expect(data.random_bytes).toMatch(/^[0-9a-f]{32}$/)
  })
})

describe('node-vault', () => {
  it('encrypts, decrypts and rewraps with transit keys', async () => {
    const vault = connect(listening.url, token)
    await vault.mount({ mount_point: 'transit', type: 'transit' })
    await vault.transitCreateKey({ name: 'orders' })
    expect((await vault.transitListKeys()).data.keys).toEqual(['orders'])
    const plaintext = Buffer.from('4111 1111').toString('base64')
    const { ciphertext } = (await vault.encryptData({ name: 'orders', plaintext })).data
    expect((await vault.decryptData({ name: 'orders', ciphertext })).data).toEqual({ plaintext })
    await vault.write('transit/keys/orders/rotate', {})
    const renewed = (await vault.rewrapData({ name: 'orders', ciphertext })).data.ciphertext
    expect(renewed).toMatch(/^vault:v2:/)
    expect((await vault.decryptData({ name: 'orders', ciphertext: renewed })).data).toEqual({ plaintext })
    expect((await vault.transitReadKey({ name: 'orders' })).data.latest_version).toBe(2)
    expect(await refusal(vault.transitDeleteKey({ name: 'orders' }))).toMatchObject({ status: 400 })
  })

  it('logs in with a user name and a password', async () => {
    const vault = connect(listening.url, token)
    await vault.enableAuth({ mount_point: 'userpass', type: 'userpass' })
    await vault.write('auth/userpass/users/ada', { password: 'correct horse', token_policies: 'team' })
    const user = connect(listening.url, undefined)
    const { auth } = await user.userpassLogin({ username: 'ada', password: 'correct horse' })
    expect(auth).toMatchObject({ policies: ['default', 'team'], metadata: { username: 'ada' } })
    // The client goes on as the user it logged in.
    expect((await user.tokenLookupSelf()).data.path).toBe('auth/userpass/login/ada')
    const wrong = connect(listening.url, undefined).userpassLogin({ username: 'ada', password: 'no' })
    expect(await refusal(wrong)).toEqual({ status: 400, errors: ['invalid username or password'] })
  })

  it('logs machines in with role and secret IDs', async () => {
    const vault = connect(listening.url, token)
    await vault.enableAuth({ mount_point: 'approle', type: 'approle' })
    await vault.addApproleRole({ role_name: 'ci', policies: 'deploy', secret_id_num_uses: 1 })
    expect((await vault.approleRoles()).data.keys).toEqual(['ci'])
    expect((await vault.getApproleRole({ role_name: 'ci' })).data.secret_id_num_uses).toBe(1)
    await vault.updateApproleRoleId({ role_name: 'ci', role_id: 'ci-runner' })
    const { role_id } = (await vault.getApproleRoleId({ role_name: 'ci' })).data
    const made = (await vault.getApproleRoleSecret({ role_name: 'ci', metadata: '{"job":"7"}' })).data
    const found = await vault.approleSecretLookup({ role_name: 'ci', secret_id: made.secret_id })
    expect(found.data.metadata).toEqual({ job: '7' })
    expect((await vault.approleSecretAccessors({ role_name: 'ci' })).data.keys).toEqual([
      made.secret_id_accessor,
    ])
    const machine = connect(listening.url, undefined)
    const { auth } = await machine.approleLogin({ role_id, secret_id: made.secret_id })
    expect(auth).toMatchObject({ policies: ['default', 'deploy'], metadata: { job: '7', role_name: 'ci' } })
    const again = connect(listening.url, undefined).approleLogin({ role_id, secret_id: made.secret_id })
    expect(await refusal(again)).toEqual({ status: 400, errors: ['invalid role or secret ID'] })
    const other = (await vault.getApproleRoleSecret({ role_name: 'ci' })).data
    await vault.approleSecretAccessorDestroy({
      role_name: 'ci',
      secret_id_accessor: other.secret_id_accessor,
    })
    await vault.deleteApproleRole({ role_name: 'ci' })
    expect(await refusal(vault.getApproleRole({ role_name: 'ci' }))).toMatchObject({ status: 404 })
  })

  it('initialises, unseals and seals a service', async () => {
    const fresh = createSecrets()
    const at = await serve({ fetch: fresh.fetch })
    try {
      const vault = connect(at.url, undefined)
      expect(await vault.initialized()).toEqual({ initialized: false })
      expect((await vault.health()).initialized).toBe(false)
      const made = await vault.init({ secret_shares: 3, secret_threshold: 2 })
      expect(made.keys).toHaveLength(3)
      expect(await vault.status()).toMatchObject({ sealed: true, t: 2, n: 3, progress: 0 })
      expect(await vault.unseal({ key: made.keys[2] })).toMatchObject({ sealed: true, progress: 1 })
      expect(await vault.unseal({ key: made.keys_base64[0] })).toMatchObject({ sealed: false, progress: 0 })
      vault.token = made.root_token
      await vault.write('secret/data/x', { data: { a: 1 } })
      await vault.seal()
      expect(await refusal(vault.read('secret/data/x'))).toEqual({
        status: 503,
        errors: ['Secrets is sealed'],
      })
      expect((await vault.health()).sealed).toBe(true)
      await vault.unseal({ key: made.keys[0] })
      await vault.unseal({ key: made.keys[1] })
      expect((await vault.read('secret/data/x')).data.data).toEqual({ a: 1 })
    } finally {
      await at.close({ drainMs: 500 })
      await fresh.close()
    }
  })
})
