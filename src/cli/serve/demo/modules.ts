import { unwrap } from '../../../kernel/index.ts'
import type { ModulePartInput, Registry, RegistryRecords } from '../../../registry/index.ts'
import { packTexts } from '../../module/pack-module.ts'

type Row = readonly [
  name: string,
  providers: readonly string[],
  description: string,
  downloads: number,
  versions: readonly string[],
]

const rows: Readonly<Record<string, readonly Row[]>> = {
  acme: [
    [
      'network',
      ['aws', 'google'],
      'A private network with public and private subnets',
      91_204,
      ['1.0.0', '1.1.0', '2.0.0'],
    ],
    ['labels', ['null'], 'Names and tags of one form for everything', 48_310, ['1.1.0', '1.2.0']],
    ['bastion', ['aws', 'google', 'azurerm'], 'A way in for administrators', 12_870, ['0.4.0', '0.5.0']],
    [
      'bucket',
      ['aws', 'google', 'azurerm'],
      'An object store with versions and retention',
      37_115,
      ['3.0.0', '3.1.0'],
    ],
    ['dns', ['aws', 'google', 'azurerm'], 'Zones and their records', 21_407, ['1.3.0']],
    ['certificate', ['aws'], 'A certificate that renews itself', 18_222, ['2.0.0', '2.0.1']],
    ['queue', ['aws'], 'A queue with a dead letter queue', 9_051, ['1.0.0']],
    [
      'function',
      ['aws', 'google', 'azurerm'],
      'A function with its role and logs',
      15_660,
      ['4.0.0', '4.1.0'],
    ],
    ['role', ['aws'], 'A role that a workload may take', 26_930, ['2.2.0']],
    ['alarm', ['aws'], 'Alarms for the usual metrics', 7_784, ['1.5.0']],
  ],
  globex: [
    [
      'cluster',
      ['aws', 'google', 'azurerm'],
      'A container cluster on spot instances',
      5_309,
      ['0.9.0', '0.10.0'],
    ],
    ['node-pool', ['aws', 'google', 'azurerm'], 'More nodes for a cluster', 2_118, ['0.10.0']],
    ['ingress', ['kubernetes'], 'A load balancer in front of a cluster', 3_940, ['1.0.0', '1.1.0']],
    ['monitoring', ['kubernetes'], 'Metrics, dashboards and alerts', 4_402, ['5.0.0']],
    ['secrets', ['vault'], 'Mounts and policies of one team', 1_287, ['0.2.0', '0.3.0']],
    ['jobs', ['nomad'], 'A job with its variables and policies', 690, ['0.1.0']],
  ],
  initech: [
    ['database', ['aws', 'azurerm'], 'A managed database with backups', 871, ['3.2.1']],
    ['reports', ['azurerm'], 'The storage of reports', 64, ['1.0.0']],
    ['archive', ['azurerm'], 'Cold storage with a legal hold', 118, ['1.1.0', '1.2.0']],
    ['desktop', ['azurerm'], 'A desktop for support', 45, ['2.0.0']],
  ],
  umbrella: [
    ['lab', ['google'], 'A project with a budget and its people', 233, ['0.7.0', '0.8.0']],
    ['notebooks', ['google'], 'Notebooks on preemptible machines', 402, ['1.4.0']],
    ['dataset', ['google'], 'A dataset with readers and writers', 517, ['1.0.0']],
    ['pipeline', ['google'], 'Steps that run every night', 190, ['0.5.0']],
    ['vpn', ['google'], 'A tunnel to the office', 76, ['1.0.0']],
    ['snapshot', ['google'], 'Snapshots of disks with retention', 88, ['0.3.0']],
  ],
}

const day = 86_400_000

const modules = Object.entries(rows).flatMap(([namespace, own]) =>
  own.flatMap(([name, providers, description, downloads, versions]) =>
    providers.map((provider, at) => ({
      namespace,
      name,
      provider,
      description,
      downloads: Math.round(downloads / (at + 1) ** 2),
      older: versions.slice(0, -1),
      newest: versions.at(-1) ?? '1.0.0',
      repository: `https://git.example.com/${namespace}/terraform-${provider}-${name}`,
    })),
  ),
)

/** Half of the downloads, on the days of half a year: fewer at weekends. */
const dailyDownloads = (now: number, downloads: number): Readonly<Record<string, number>> =>
  Object.fromEntries(
    Array.from({ length: 182 }, (_, ago) => {
      const date = new Date(now - ago * day)
      const share = date.getUTCDay() % 6 === 0 ? 0.4 : 1.2
      return [date.toISOString().slice(0, 10), Math.floor((downloads / 2 / 182) * share)]
    }),
  )

/** When the newest version of a module was published. */
const publishedAt = (now: number, at: number): number => now - (1 + at * 3) * day

/** Sample modules in four namespaces with their older versions, whose sources are elsewhere. */
export const demoRegistry = (now: number): RegistryRecords => ({
  modules: modules.map(({ namespace, name, provider, description, downloads, older, repository }, at) => ({
    namespace,
    name,
    provider,
    owner: namespace,
    description,
    source: repository,
    verified: namespace === 'acme',
    published_at: new Date(publishedAt(now, at)).toISOString(),
    downloads,
    daily_downloads: dailyDownloads(now, downloads),
    versions: older.map((version) => ({
      version,
      source: `git::${repository}?ref=v${version}`,
      published_at: new Date(now - (40 + at * 3) * day).toISOString(),
      ...(name === 'network' && { root: network, submodules: [peering] }),
    })),
  })),
})

/** Publishes the newest version of each module: archives that `terraform init` installs, with nothing to create. */
export async function demoArchives(registry: Registry, now: number): Promise<void> {
  for (const [at, { newest, ...module }] of modules.entries()) {
    const { namespace, name, provider } = module
    const archive = packTexts(filesOf(module))
    const address = { namespace, name, provider }
    unwrap(await registry.publishArchive(address, { version: newest }, new Blob([archive]).stream()))
    const versions = [{ version: newest, publishedMicros: publishedAt(now, at) * 1000 }]
    unwrap(await registry.setHistory(address, { downloads: 0, versions }))
  }
}

const filesOf = ({ namespace, name, provider, description }: Omit<(typeof modules)[number], 'newest'>) => {
  const isNetwork = name === 'network'
  return {
    'README.md': `# ${name[0]?.toUpperCase()}${name.slice(1)}\n\n${description}. Sample data of \`plinth serve --demo\`.\n\n\`\`\`hcl\nmodule "${name}" {\n  source = "…/${namespace}/${name}/${provider}"\n  name   = "example"\n}\n\`\`\`\n\n| part | kept for |\n|---|---|\n| logs | 30 days |\n| state | as long as the ${name} |\n`,
    'variables.tf': `variable "name" {\n  type        = string\n  description = "The name of the ${name} and of what belongs to it"\n}\n\nvariable "tags" {\n  type        = map(string)\n  description = "Tags of everything that is created"\n  default     = {}\n}\n${isNetwork ? networkVariables : ''}`,
    // Of the provider that terraform contains, so that nothing else is downloaded.
    'main.tf': `locals {\n  tags = merge(var.tags, { module = "${name}" })\n}\n\nresource "terraform_data" "this" {\n  input = local.tags\n}\n`,
    'outputs.tf': `output "name" {\n  description = "The name, as given"\n  value       = var.name\n}\n\noutput "tags" {\n  description = "The tags of everything"\n  value       = local.tags\n}\n`,
    ...(isNetwork && {
      'modules/peering/README.md': '# Peering\n\nConnects two networks.\n',
      'modules/peering/main.tf':
        'variable "peer_id" {\n  type        = string\n  description = "The other network"\n}\n',
    }),
  }
}

const networkVariables = `
variable "cidr" {
  type        = string
  description = "Addresses of the network, split evenly over its zones"
}

variable "zones" {
  type        = list(string)
  description = "Where the subnets are"
  default     = ["a", "b", "c"]
}
`

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
