import { afterAll, describe, expect, it } from 'vitest'
import { tarGz } from '../registry/archive/archives.ts'
import { cleanUp, run, start } from './server.ts'

afterAll(cleanUp)

describe('the users of the catalog', () => {
  it('are administrators in development if they are named admin', async () => {
    const { ready, stop } = await start(
      '--only=catalog',
      '--catalog-user=admin:password-1',
      '--catalog-user=ann:password-1',
    )
    const { tokens, url } = ready.catalog
    const listUsers = async (name: string) => {
      const headers = { authorization: `Bearer ${tokens[name]}` }
      return (await fetch(`${url}/plinth/v1/users`, { headers })).status
    }
    expect([await listUsers('admin'), await listUsers('ann')]).toEqual([200, 403])
    await stop()
  })

  it('publish and read modules where they have a role, with the same tokens', async () => {
    const server = await start(
      '--only=catalog,registry',
      '--registry-private',
      '--catalog-user=ann:password-1',
    )
    const { catalog, registry } = server.ready
    const admin = await fetch(`${catalog.url}/api/v1/authenticate`, {
      method: 'POST',
      body: JSON.stringify({ user: { login: 'ann', password: 'password-1' } }),
    })
    expect(admin.status).toBe(200)
    const ann = catalog.tokens['ann'] ?? ''
    const limited = async (details: object) => {
      const made = await fetch(`${catalog.url}/plinth/v1/tokens`, {
        method: 'POST',
        headers: { authorization: `Bearer ${ann}` },
        body: JSON.stringify(details),
      })
      const { token } = (await made.json()) as { readonly token: string }
      return token
    }
    const archive = new Uint8Array(tarGz({ path: 'main.tf', text: 'variable "x" {}\n' }))
    const publish = (namespace: string, version: string, token: string) =>
      fetch(`${registry.url}/v1/modules/${namespace}/vpc/aws/${version}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/gzip' },
        body: archive,
      })
    const read = (token: string) =>
      fetch(`${registry.url}/v1/modules/ann/vpc/aws/versions`, {
        headers: { authorization: `Bearer ${token}` },
      })
    const reader = await limited({ role: 'reader' })
    const elsewhere = await limited({ owners: ['acme'] })
    expect((await publish('ann', '1.0.0', ann)).status).toBe(201)
    expect((await publish('acme', '1.0.0', ann)).status).toBe(403)
    expect((await publish('ann', '1.1.0', reader)).status).toBe(403)
    expect((await publish('ann', '1.1.0', elsewhere)).status).toBe(403)
    expect((await publish('ann', '1.1.0', `${ann}x`)).status).toBe(401)
    expect([(await read(ann)).status, (await read(reader)).status]).toEqual([200, 200])
    expect((await read(elsewhere)).status).toBe(404)
    // It is not an administrator of the registry.
    const tokens = await run(['registry', 'token', 'list', '--to', registry.url], { REGISTRY_TOKEN: ann })
    expect(tokens).toMatchObject({ code: 1, stderr: expect.stringContaining('administrator') })
    const trail = await fetch(`${registry.url}/plinth/v1/audit?limit=1`, {
      headers: { authorization: `Bearer ${registry.token}` },
    })
    expect(await trail.json()).toMatchObject({ changes: [{ type: 'version.published', by: 'ann' }] })
    await server.stop()
  })
})
