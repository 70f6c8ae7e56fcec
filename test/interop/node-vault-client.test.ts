import { createRequire } from 'node:module'
import { afterEach, describe, expect, it } from 'vitest'
import { servedSecrets } from './served-secrets.ts'

/** What is used here of the client, which has no declarations. */
interface Client {
  readonly read: (path: string) => Promise<Lease>
  readonly list: (path: string) => Promise<Lease>
  readonly write: (path: string, data: object) => Promise<{ readonly data: unknown } | undefined>
}
interface Lease {
  readonly getValue: (name: string) => unknown
  readonly getData: () => unknown
}
interface Clients {
  readonly boot: (name: string, options: object) => Client
  readonly get: (name: string) => Client
  readonly clear: () => void
}

const clients: Clients = createRequire(import.meta.url)('node-vault-client')
const served = servedSecrets()

const connect = (name: string, auth: object): Client =>
  clients.boot(name, { api: { url: served().url }, auth, logger: false })

afterEach(() => clients.clear())

describe('node-vault-client', () => {
  it('reads, writes and lists with a token', async () => {
    const vault = connect('main', { type: 'token', config: { token: served().token } })
    await vault.write('secret/data/app/db', { data: { user: 'ada' } })
    expect((await vault.read('secret/data/app/db')).getValue('data')).toEqual({ user: 'ada' })
    expect((await clients.get('main').list('secret/metadata/app')).getData()).toEqual({ keys: ['db'] })
    await expect(vault.read('secret/data/none')).rejects.toMatchObject({ statusCode: 404 })
  })

  it('logs in with role and secret IDs by itself', async () => {
    const { service } = served()
    await service.policies.write('app', 'path "secret/data/app/*" { capabilities = ["read"] }')
    await service.kv().write('app/web', { port: 80 })
    await service.mounts.enable({ path: 'auth/approle/', type: 'approle' })
    // A token that cannot be renewed: for another the client sets a timer that no method of it clears.
    const tokens = { policies: ['app'], type: 'batch' } as const
    await service.approle().writeRole('ci', { roleId: 'ci-runner', tokens })
    const made = await service.approle().makeSecretId('ci')
    if (!made.ok) throw new Error(made.refusal.message)
    const { secretId } = made.value
    const machine = connect('ci', { type: 'appRole', config: { role_id: 'ci-runner', secret_id: secretId } })
    expect((await machine.read('secret/data/app/web')).getValue('data')).toEqual({ port: 80 })
    await expect(machine.read('secret/data/other')).rejects.toMatchObject({ statusCode: 403 })
    const wrong = connect('wrong', { type: 'appRole', config: { role_id: 'ci-runner', secret_id: 'no' } })
    await expect(wrong.read('secret/data/app/web')).rejects.toMatchObject({ statusCode: 400 })
  })
})
