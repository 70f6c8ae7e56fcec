import { Client } from '@litehex/node-vault'
import { describe, expect, it } from 'vitest'
import { servedSecrets } from './served-secrets.ts'

const served = servedSecrets()

const connect = (token: string | undefined): Client =>
  new Client({ endpoint: served().url, ...(token === undefined ? {} : { token }) })

/** What an answer holds: the client hands errors back instead of throwing them, those of its own schemas too. */
async function dataOf<Data>(answer: PromiseLike<{ data?: Data; error?: unknown }>): Promise<Data> {
  const { data, error } = await answer
  if (error !== undefined) throw error
  if (data === undefined) throw new Error('an answer without data')
  return data
}

/** The client checks every answer against a schema of its own. */
describe('@litehex/node-vault', () => {
  it('reads what the server says of itself', async () => {
    const vault = connect(served().token)
    expect(await dataOf(vault.health())).toMatchObject({ initialized: true, sealed: false })
    expect(await dataOf(vault.sealStatus())).toMatchObject({ type: 'shamir', sealed: false })
    expect(await dataOf(vault.initialized())).toEqual({ initialized: true })
    expect(await dataOf(vault.listDevices())).toMatchObject({ data: {} })
    expect(await dataOf(vault.getRootGenerationProgress())).toMatchObject({ started: false })
  })

  it('mounts, tunes and unmounts engines', async () => {
    const vault = connect(served().token)
    expect(await dataOf(vault.mount({ mountPath: 'tuned', type: 'kv-v2' }))).toBe(true)
    expect((await dataOf(vault.mounts())).data['tuned/']).toMatchObject({ type: 'kv' })
    expect(await dataOf(vault.engineInfo({ mountPath: 'tuned' }))).toMatchObject({
      options: { version: '2' },
    })
    expect(await dataOf(vault.tuneMount({ mountPath: 'tuned', description: 'mine' }))).toBe(true)
    expect(await dataOf(vault.tune({ mountPath: 'tuned' }))).toMatchObject({ force_no_cache: false })
    expect(await dataOf(vault.unmount({ mountPath: 'tuned' }))).toBe(true)
  })

  it('keeps versioned secrets', async () => {
    const { kv2 } = connect(served().token)
    const at = { mountPath: 'secret', path: 'app/db' }
    expect((await dataOf(kv2.write({ ...at, data: { user: 'ada' } }))).data.version).toBe(1)
    await dataOf(kv2.patch({ ...at, data: { host: 'db1' } }))
    expect((await dataOf(kv2.read(at))).data.data).toEqual({ user: 'ada', host: 'db1' })
    expect((await dataOf(kv2.subKeys(at))).data.subkeys).toEqual({ user: null, host: null })
    expect((await dataOf(kv2.list({ mountPath: 'secret', path: 'app' }))).data.keys).toEqual(['db'])
    await dataOf(kv2.writeMetadata({ ...at, custom_metadata: { team: 'red' } }))
    await dataOf(kv2.patchMetadata({ ...at, custom_metadata: { tier: '1' } }))
    const { custom_metadata, current_version } = (await dataOf(kv2.readMetadata(at))).data
    expect([custom_metadata, current_version]).toEqual([{ team: 'red', tier: '1' }, 2])
    await dataOf(kv2.delete({ ...at, versions: [2] }))
    expect((await kv2.read(at)).error).toBeInstanceOf(Error)
    await dataOf(kv2.undelete({ ...at, versions: [2] }))
    await dataOf(kv2.destroy({ ...at, versions: [1] }))
    await dataOf(kv2.deleteLatest(at))
    await dataOf(kv2.deleteMetadata(at))
    expect((await kv2.readMetadata(at)).error).toBeInstanceOf(Error)
    await dataOf(kv2.config({ mountPath: 'secret', max_versions: 4 }))
    expect((await dataOf(kv2.readConfig({ mountPath: 'secret' }))).data.max_versions).toBe(4)
  })

  it('keeps plain secrets', async () => {
    const vault = connect(served().token)
    await dataOf(vault.mount({ mountPath: 'plain', type: 'kv' }))
    const at = { mountPath: 'plain', path: 'x' }
    expect(await dataOf(vault.kv.write({ ...at, data: { a: 'b' } }))).toBe(true)
    expect((await dataOf(vault.kv.read(at))).data).toEqual({ a: 'b' })
    expect((await dataOf(vault.kv.list({ mountPath: 'plain', path: '' }))).data.keys).toEqual(['x'])
    expect(await dataOf(vault.kv.delete(at))).toBe(true)
  })

  it('works with transit keys', async () => {
    const { transit } = connect(served().token)
    const orders = { mountPath: 'transit', name: 'orders' }
    const input = Buffer.from('4111 1111').toString('base64')
    await dataOf(transit.enable({ mountPath: 'transit', type: 'transit' }))
    expect((await dataOf(transit.createKey(orders))).mount_type).toBe('transit')
    const ciphertext = String(
      (await dataOf(transit.encrypt({ ...orders, plaintext: input }))).data.ciphertext,
    )
    expect((await dataOf(transit.decrypt({ ...orders, ciphertext }))).data.plaintext).toBe(input)
    expect((await dataOf(transit.rotateKey(orders))).data.latest_version).toBe(2)
    expect((await dataOf(transit.rewrap({ ...orders, ciphertext }))).data.ciphertext).toMatch(/^vault:v2:/)
    await dataOf(transit.updateKey({ ...orders, min_decryption_version: 2, deletion_allowed: true }))
    expect((await transit.decrypt({ ...orders, ciphertext })).error?.message).toContain('ciphertext')
    expect((await dataOf(transit.readKey(orders))).data.min_decryption_version).toBe(2)
    const drawn = (await dataOf(transit.generateDataKey({ ...orders, type: 'plaintext' }))).data
    expect(
      (await dataOf(transit.decrypt({ ...orders, ciphertext: String(drawn.ciphertext) }))).data.plaintext,
    ).toBe(drawn.plaintext)
    const hmac = String((await dataOf(transit.hmac({ ...orders, input }))).data.hmac)
    const checked = transit.verifyHmac({ ...orders, algorithm: 'sha2-256', input, hmac })
    expect((await dataOf(checked)).data.valid).toBe(true)
    const random = transit.generateRandom({
      mountPath: 'transit',
      source: 'platform',
      bytes: 16,
      format: 'hex',
    })
    expect((await dataOf(random)).data.random_bytes).toHaveLength(32)
    const hashed = transit.hash({ mountPath: 'transit', algorithm: 'sha2-256', input, format: 'hex' })
    expect((await dataOf(hashed)).data.sum).toHaveLength(64)
    expect((await dataOf(transit.listKeys({ mountPath: 'transit' }))).data.keys).toEqual(['orders'])
    expect(await dataOf(transit.deleteKey(orders))).toBe(true)
  })

  it('signs with keys that it is not strict about', async () => {
    const { transit } = connect(served().token)
    const contracts = { mountPath: 'transit', name: 'contracts' }
    const input = Buffer.from('we agree').toString('base64')
    // Its schema knows the keys of symmetric types only: one number a version.
    const lenient = { strictSchema: false }
    await dataOf(transit.createKey({ ...contracts, type: 'ed25519', exportable: true }, lenient))
    const signing = { ...contracts, input, signature_algorithm: 'pss', algorithm: 'sha2-256' } as const
    const signature = String((await dataOf(transit.sign(signing))).data.signature)
    const verified = transit.verify({ ...contracts, input, algorithm: 'sha2-256', signature })
    expect((await dataOf(verified)).data.valid).toBe(true)
    const exported = transit.exportKey({ ...contracts, type: 'signing-key' })
    expect((await dataOf(exported)).data.type).toBe('ed25519')
  })

  it('logs in with a password through its generic commands', async () => {
    const vault = connect(served().token)
    await dataOf(vault.write({ path: 'sys/auth/userpass', data: { type: 'userpass' } }))
    await dataOf(vault.write({ path: 'auth/userpass/users/ada', data: { password: 'correct horse' } }))
    const login = (password: string) =>
      connect(undefined).write({ path: 'auth/userpass/login/ada', data: { password } })
    expect(await dataOf(login('correct horse'))).toMatchObject({ auth: { policies: ['default'] } })
    expect((await login('wrong')).error?.message).toBe('invalid username or password')
  })
})
