import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FetchHandler } from '../../src/http/node/index.ts'
import type { AuditDevice } from '../../src/secrets/index.ts'
import type { Load } from '../compare/tree.ts'

export const token = { 'x-secrets-token': 'root' }
export const secret = JSON.stringify({
  data: { user: 'ada', password: 'correct horse battery staple', url: 'postgres://db.internal:5432/app' },
})
export const kv2Path = (n: number) => `/v1/secret/data/app/service-${n}/db`
export const systems = ['ubuntu', 'debian', 'centos', 'fedora', 'alpine', 'arch', 'rocky', 'gentoo'] as const

export const gateway = async (load: Load) => (await load('./gateway')).createGateway().fetch

export const registry = async (load: Load) => {
  const service = (await load('./registry')).createRegistry()
  const parts = { providers: [{ name: 'aws', version: '>= 5.0' }] }
  const versions = Array.from({ length: 10 }, (_, minor) => ({
    version: `1.${minor}.0`,
    source: `https://example.com/${minor}.zip`,
    root: { ...parts, readme: 'A module.' },
    submodules: [{ path: 'modules/inner', ...parts }],
  }))
  const modules = systems.map((name) => ({ namespace: 'team', name, provider: 'aws', versions }))
  const loaded = await service.load({ modules })
  if (!loaded.ok) throw new Error(loaded.refusal.message)
  return service.fetch
}

/** A scheduler with 1,000 nodes, which places jobs if it is told to. */
const schedulerWith = (place: boolean) => async (load: Load) => {
  const { createScheduler, NodeRecord } = await load('./scheduler')
  const service = createScheduler({ place })
  const plenty = { Cpu: { CpuShares: 1e9 }, Memory: { MemoryMB: 1e9 }, Disk: { DiskMB: 1e9 } }
  const nodes = Array.from({ length: 1000 }, (_, n) =>
    NodeRecord.parse({
      ID: `node-${n}`,
      Name: `client-${n}`,
      Datacenter: `dc${n % 8}`,
      ...(place ? { NodeResources: plenty, Attributes: { 'driver.exec': '1' } } : {}),
    }),
  )
  const loaded = await service.load({ nodes })
  if (!loaded.ok) throw new Error(loaded.refusal.message)
  return service.fetch
}

export const scheduler = schedulerWith(false)
export const placingScheduler = schedulerWith(true)

export const catalog = async (load: Load) => {
  const service = (await load('./catalog')).createCatalog()
  const providers = ['virtualbox', 'libvirt'].map((name) => ({
    name,
    architecture: 'amd64',
    url: 'https://example.com/a.box',
  }))
  const versions = ['1.0.0', '1.1.0', '2.0.0'].map((version) => ({
    version,
    status: 'active' as const,
    providers,
  }))
  const boxes = systems.map((name) => ({
    username: 'ada',
    name,
    private: false,
    short_description: `A minimal ${name} box`,
    versions,
  }))
  const loaded = await service.load({ boxes })
  if (!loaded.ok) throw new Error(loaded.refusal.message)
  return service.fetch
}

export const secrets = (load: Load) => secretsWith(load)
export const auditedSecrets = async (load: Load) => {
  const folder = await mkdtemp(join(tmpdir(), 'plinth-bench-'))
  const sink = await (await load('./node')).lineFile(join(folder, 'audit.log'))
  // The open file goes with the process.
  await rm(folder, { recursive: true })
  return secretsWith(load, { audit: [{ path: 'file/', sink }] })
}

async function secretsWith(
  load: Load,
  options: { readonly audit?: readonly AuditDevice[] } = {},
): Promise<FetchHandler> {
  const { service } = await (await load('./secrets')).devSecrets({ rootToken: 'root', ...options })
  for (let n = 0; n < systems.length; n += 1) {
    const write = new Request(`http://localhost${kv2Path(n)}`, {
      method: 'POST',
      headers: token,
      body: secret,
    })
    const answer = await service.fetch(write)
    if (!answer.ok) throw new Error(await answer.text())
  }
  return service.fetch
}

const json = { headers: { 'content-type': 'application/json' } }
export const trivial = async (): Promise<FetchHandler> => () => new Response('{"ok":true}', json)
export const trivialJson = async (): Promise<FetchHandler> => async (request) => {
  await request.json()
  return new Response('{"ok":true}', json)
}
