import type { CatalogRecords } from '../../catalog/index.ts'
import type { ModulePartInput, RegistryRecords } from '../../registry/index.ts'
import type { Secrets } from '../../secrets/index.ts'

/**
 * Sample boxes: versions of two images, for two providers. Their images are hosted elsewhere and not needed for
 * browsing.
 */
export const demoCatalog = (): CatalogRecords => ({
  boxes: [
    box('acme', 'debian', 'Debian 12, minimal', ['12.4.0', '12.5.0'], 18_240),
    box('acme', 'alpine', 'Alpine Linux, tiny', ['3.19.1'], 4_112),
    box('globex', 'builder', 'Toolchain for the build farm', ['2026.1.0', '2026.2.0'], 312),
  ],
})

const box = (
  username: string,
  name: string,
  description: string,
  versions: readonly string[],
  downloads: number,
) => ({
  username,
  name,
  short_description: description,
  description_markdown: `**${description}.** Sample data of \`plinth serve --demo\`.`,
  private: false,
  downloads,
  versions: versions.map((version) => ({
    version,
    status: 'active' as const,
    description_markdown: `Release ${version}`,
    providers: ['virtualbox', 'libvirt'].map((provider) => ({
      name: provider,
      architecture: 'amd64',
      default_architecture: true,
      url: `https://boxes.example.com/${username}/${name}/${version}/${provider}.box`,
    })),
  })),
})

/** Sample modules: a network, a cluster and a database, in three namespaces. */
export const demoRegistry = (): RegistryRecords => ({
  modules: [
    module(
      'acme',
      'network',
      'aws',
      'A private network with public and private subnets',
      true,
      ['1.0.0', '1.1.0', '2.0.0'],
      91_204,
      { root: network, submodules: [peering] },
    ),
    module(
      'acme',
      'network',
      'google',
      'A private network with public and private subnets',
      true,
      ['1.0.0'],
      20_411,
    ),
    module(
      'globex',
      'cluster',
      'aws',
      'A container cluster on spot instances',
      false,
      ['0.9.0', '0.10.0'],
      5_309,
    ),
    module('initech', 'database', 'azurerm', 'A managed database with backups', false, ['3.2.1'], 871),
  ],
})

const module = (
  namespace: string,
  name: string,
  provider: string,
  description: string,
  verified: boolean,
  versions: readonly string[],
  downloads: number,
  parts: { readonly root?: ModulePartInput; readonly submodules?: ModulePartInput[] } = {},
) => ({
  namespace,
  name,
  provider,
  owner: namespace,
  description,
  source: `https://git.example.com/${namespace}/terraform-${provider}-${name}`,
  verified,
  published_at: '2026-01-15T09:30:00.000000Z',
  downloads,
  versions: versions.map((version) => ({
    version,
    source: `git::https://git.example.com/${namespace}/terraform-${provider}-${name}?ref=v${version}`,
    ...parts,
  })),
})

const network: ModulePartInput = {
  readme:
    '# Network\n\nA private network: one subnet a zone, with a way out through NAT.\n\n- `cidr` is split evenly.\n- Flow logs are kept for 30 days.\n',
  inputs: [
    { name: 'cidr', type: 'string', description: 'Addresses of the network', default: '', required: true },
    { name: 'zones', type: 'list(string)', description: 'Where the subnets are', default: '["a","b","c"]' },
    { name: 'single_nat', type: 'bool', description: 'One way out for all zones', default: 'false' },
  ],
  outputs: [
    { name: 'network_id', description: 'The network' },
    { name: 'private_subnet_ids', description: 'The private subnets, in the order of the zones' },
  ],
  dependencies: [{ name: 'labels', source: 'acme/labels/null', version: '~> 1.2' }],
  resources: [
    { name: 'this', type: 'aws_vpc' },
    { name: 'private', type: 'aws_subnet' },
  ],
}

const peering: ModulePartInput = {
  path: 'modules/peering',
  readme: '# Peering\n\nConnects two networks.\n',
  inputs: [
    { name: 'peer_id', type: 'string', description: 'The other network', default: '', required: true },
  ],
  resources: [{ name: 'this', type: 'aws_vpc_peering_connection' }],
}

/** A sample secret with an earlier version, and a policy for reading it. */
export async function demoSecrets(secrets: Secrets): Promise<void> {
  const { initialized, sealed } = await secrets.seal.status()
  if (!initialized || sealed) return
  const kv = secrets.kv()
  const there = await kv.list('demo')
  if (there.ok && there.value.length > 0) return
  await kv.write('demo/database', { username: 'app', host: 'db1.example.com', port: 5432 })
  await kv.write('demo/database', { username: 'app', host: 'db.example.com', port: 5432 })
  await secrets.policies.write('demo-reader', 'path "secret/data/demo/*" {\n  capabilities = ["read"]\n}\n')
}
