import type { BoxHistory, Catalog, CatalogRecords } from '../../../catalog/index.ts'
import { unwrap } from '../../../kernel/index.ts'
import { packTexts } from '../../module/pack-module.ts'

type Row = readonly [
  name: string,
  description: string,
  downloads: number,
  versions: readonly string[],
  providers?: readonly string[],
]

const usual = ['virtualbox', 'libvirt'] as const

const rows: Readonly<Record<string, readonly Row[]>> = {
  acme: [
    ['debian', 'Debian 12, minimal', 18_240, ['12.4.0', '12.5.0']],
    ['alpine', 'Alpine Linux, tiny', 4_112, ['3.19.1', '3.20.0']],
    ['ubuntu', 'Ubuntu 24.04 server', 22_871, ['24.4.0', '24.4.1', '24.4.2']],
    ['rocky', 'Rocky Linux 9', 3_906, ['9.3.0', '9.4.0']],
    ['fedora', 'Fedora Cloud', 2_215, ['40.1.0', '41.0.0']],
    ['arch', 'Arch Linux, a snapshot each month', 1_530, ['2026.9.1', '2026.10.1']],
    ['freebsd', 'FreeBSD 14', 871, ['14.1.0']],
    ['nixos', 'NixOS with flakes', 640, ['24.5.0']],
    ['opensuse', 'openSUSE Leap', 412, ['15.6.0']],
    ['k3s', 'A Kubernetes node on Alpine', 2_964, ['1.30.0', '1.31.0']],
    ['postgres', 'PostgreSQL 17 on Debian', 1_188, ['17.0.0', '17.2.0']],
    ['redis', 'A cache with persistence', 977, ['7.4.0']],
    ['nginx', 'A web server with certificates', 1_402, ['1.26.0', '1.27.0']],
    ['docker', 'A container host', 5_873, ['27.0.0', '27.3.0']],
    ['ci-runner', 'A runner for builds', 2_090, ['2.0.0', '2.1.0']],
  ],
  globex: [
    ['builder', 'Toolchain for the build farm', 312, ['2026.1.0', '2026.2.0']],
    ['arm-builder', 'The same for arm64', 96, ['2026.1.0'], ['libvirt']],
    ['windows', 'Windows Server for tests of installers', 188, ['2022.1.0'], ['virtualbox']],
    ['router', 'A router of the lab network', 154, ['1.4.0', '1.5.0']],
    ['vpn', 'A WireGuard gateway', 207, ['0.9.0', '1.0.0']],
    ['monitor', 'Metrics, dashboards and alerts', 133, ['3.2.0']],
    ['load-generator', 'Load for tests of the shop', 61, ['0.3.0']],
    ['mail', 'A mail server that keeps everything', 45, ['1.0.0']],
    ['dns', 'Names of the lab network', 77, ['2.2.0']],
    ['kiosk', 'A browser in full screen', 38, ['5.0.0'], ['virtualbox']],
    ['proxy', 'A caching proxy for packages', 212, ['4.1.0', '4.2.0']],
    ['storage', 'A node of the object store', 84, ['1.7.0']],
  ],
  initech: [
    ['reports', 'The report generator with its fonts', 29, ['8.0.0', '8.1.0']],
    ['legacy', 'The accounting system of 2009', 17, ['1.0.0'], ['virtualbox']],
    ['oracle-linux', 'Oracle Linux 9', 208, ['9.4.0']],
    ['centos-stream', 'CentOS Stream 10', 391, ['10.0.0']],
    ['print', 'A print server', 12, ['2.0.0'], ['virtualbox']],
    ['batch', 'Nightly batches', 54, ['3.3.0', '3.4.0']],
    ['desktop', 'A desktop for support', 66, ['6.0.0'], ['virtualbox']],
  ],
  umbrella: [
    ['lab', 'A machine for experiments', 143, ['0.8.0', '0.9.0']],
    ['lab-gpu', 'The same with drivers for accelerators', 88, ['0.9.0'], ['libvirt']],
    ['sequencer', 'Tools for sequencing', 31, ['2.5.0']],
    ['notebooks', 'Notebooks with the usual libraries', 260, ['2026.9.0', '2026.10.0']],
    ['sandbox', 'A machine without a network', 49, ['1.1.0']],
    ['archive', 'Long-term storage of results', 22, ['1.0.0']],
  ],
}

/** Sample boxes of four owners with their older versions, whose images are elsewhere. */
export const demoCatalog = (): CatalogRecords => ({
  boxes: Object.entries(rows).flatMap(([username, boxes]) =>
    boxes.map(([name, description, downloads, versions, providers = usual]) => ({
      username,
      name,
      short_description: description,
      description_markdown: `# ${name}\n\n**${description}.** Sample data of \`plinth serve --demo\`.\n\n\`\`\`sh\nvagrant init ${username}/${name}\nvagrant up\n\`\`\`\n\n- The user is \`vagrant\`, with the usual key.\n- A release each month; the newest two are kept.\n`,
      private: false,
      downloads,
      versions: versions.slice(0, -1).map((version) => ({
        version,
        status: 'active' as const,
        description_markdown: `Release ${version}`,
        providers: providers.map((provider) => ({
          name: provider,
          architecture: 'amd64',
          default_architecture: true,
          url: `https://boxes.example.com/${username}/${name}/${version}/${provider}.box`,
        })),
      })),
    })),
  ),
})

const day = 86_400_000

/** A version every thirty days, the newest in the last two weeks. */
function historyOf(name: string, versions: readonly string[], now: number): BoxHistory {
  const newest = now - (1 + (name.length % 14)) * day
  const dated = versions.map((version, at) => {
    const createdAt = newest - (versions.length - 1 - at) * 30 * day
    return { version, createdAt, updatedAt: createdAt + day / 24 }
  })
  return { createdAt: dated[0]?.createdAt ?? newest, downloads: 0, versions: dated }
}

/**
 * Releases the newest version of each box: images are archives that `vagrant box add` accepts, with nothing to boot.
 */
export async function demoImages(catalog: Catalog, now: number): Promise<void> {
  const images = new Map(
    ['virtualbox', 'libvirt'].map((provider) => [
      provider,
      packTexts({
        'metadata.json': `${JSON.stringify({ provider, architecture: 'amd64', format: 'qcow2', virtual_size: 1 })}\n`,
        Vagrantfile: 'Vagrant.configure("2") do |config|\nend\n',
        [provider === 'virtualbox' ? 'box.ovf' : 'box.img']:
          'An image of plinth serve --demo: it does not boot.\n',
      }),
    ]),
  )
  for (const [username, boxes] of Object.entries(rows))
    for (const [name, , , versions, providers = usual] of boxes) {
      const box = { username, name }
      const version = versions.at(-1) ?? '1.0.0'
      const address = { ...box, version }
      unwrap(await catalog.createVersion(box, { version, description: `Release ${version}` }))
      for (const provider of providers) {
        unwrap(await catalog.createProvider(address, { name: provider, architecture: 'amd64' }))
        const upload = unwrap(await catalog.requestUpload(address, { name: provider }, 'standard'))
        unwrap(await catalog.receiveUpload(upload.secret, new Blob([images.get(provider) ?? '']).stream()))
      }
      unwrap(await catalog.releaseVersion(address))
      unwrap(await catalog.setHistory(box, historyOf(name, versions, now)))
    }
}
