import { spawnSync } from 'node:child_process'
import { delimiter, join, resolve } from 'node:path'

/** A program that some tests run and that a machine may lack. */
export interface Program {
  readonly name: string
  /** Commands that may be the program: the first one that exits with 0 when given `probe` is it. */
  readonly commands: readonly string[]
  readonly probe: readonly string[]
  /** The Debian package, or where else the program comes from. */
  readonly install: { readonly debian: string } | { readonly page: string } | { readonly command: string }
}

const programs: Program[] = []

/** Makes a program, and puts it among those that a machine can be told to install. */
const program = (name: string, how: Partial<Omit<Program, 'name'>> = {}): Program => {
  const made = { name, commands: [name], probe: ['--version'], install: { debian: name }, ...how }
  programs.push(made)
  return made
}

/** `PLINTH_PYTHON`, or else every Python on the path: the first may be one that does not see Debian's modules. */
const pythons = (): readonly string[] => {
  const { PLINTH_PYTHON: named, PATH: path = '' } = process.env
  return named ? [named] : path.split(delimiter).map((folder) => join(folder, 'python3'))
}

export const bash = program('bash')
export const caddy = program('caddy', { probe: ['version'] })
export const chromium = program('chromium', { commands: [process.env['PLINTH_CHROMIUM'] ?? 'chromium'] })
export const curl = program('curl')
export const dockerCompose = program('docker-compose', { probe: ['version'] })
export const etcd = program('etcd', {
  commands: ['etcd', '/usr/bin/etcd'],
  install: { debian: 'etcd-server' },
})
export const firefox = program('Firefox', {
  commands: ['firefox-esr', 'firefox'],
  install: { debian: 'firefox-esr' },
})
export const fish = program('fish')
export const hvac = program('hvac for Python', {
  commands: pythons(),
  probe: ['-c', 'import hvac'],
  install: { debian: 'python3-hvac' },
})
export const mariadb = program('MariaDB', {
  commands: ['mariadbd', '/usr/sbin/mariadbd'],
  install: { debian: 'mariadb-server' },
})
export const openssl = program('openssl', { probe: ['version'] })
export const packer = program('packer', { probe: ['version'] })
export const python = program('python3')
export const ruby = program('ruby')
export const systemdAnalyze = program('systemd-analyze', { install: { debian: 'systemd' } })
export const terraform = program('terraform', {
  probe: ['version'],
  install: { page: 'https://developer.hashicorp.com/terraform/install' },
})
export const vagrant = program('vagrant')
export const vagrantCloudGem = program('the gem vagrant_cloud', {
  commands: ['ruby'],
  probe: ['-e', 'require "vagrant_cloud"'],
  install: { debian: 'ruby-vagrant-cloud' },
})
export const zsh = program('zsh')

/** Other versions of Node, in `PLINTH_NODES` or `temp/nodes`. */
export const nodes: readonly Program[] = ['20', '22.13.0', '22', '24', '26'].map((version) => {
  const folder = resolve(process.env['PLINTH_NODES'] ?? 'temp/nodes', version)
  const name = `node-${process.platform}-${process.arch}`
  return program(`Node ${version}`, {
    commands: [join(folder, 'node_modules', name, 'bin', 'node')],
    install: { command: `npm install --no-save --prefix ${folder} ${name}@${version}` },
  })
})

/** Test runners, in `temp/runners`. */
const runner = (name: string): Program =>
  program(name, {
    commands: [resolve('temp/runners/node_modules/.bin', name)],
    install: {
      command: 'npm install --no-save --prefix temp/runners jest@30.5.2 mocha@12.0.3 @playwright/test@1.65.1',
    },
  })
export const jest = runner('jest')
export const mocha = runner('mocha')
export const playwright = runner('playwright')

/** Other runtimes, in `temp/runtimes`. */
const runtime = (name: string, version: string): Program =>
  program(name, {
    commands: [resolve('temp/runtimes', name, 'node_modules/.bin', name)],
    install: { command: `npm install --no-save --prefix temp/runtimes/${name} ${name}@${version}` },
  })
export const bun = runtime('bun', '1.4.5')
export const deno = runtime('deno', '2.9.6')
export const edgeRuntime = runtime('edge-runtime', '4.0.1')
export const workerd = runtime('workerd', '1.20261117.1')

/** Packages that some tests load from `temp/loaded`: documents without a browser, another bundler, a database. */
const loaded = (name: string): Program =>
  program(name, {
    commands: [process.execPath],
    probe: ['-e', `require.resolve('${resolve('temp/loaded/node_modules', name)}')`],
    install: {
      command:
        'npm install --no-save --prefix temp/loaded jsdom@26.1.0 happy-dom@21.0.4 webpack@5.113.0 @rollup/plugin-node-resolve@16.0.3 @electric-sql/pglite@0.5.17',
    },
  })
export const jsdom = loaded('jsdom')
export const happyDom = loaded('happy-dom')
export const webpack = loaded('webpack')
export const rollupResolver = loaded('@rollup/plugin-node-resolve')
export const pglite = loaded('@electric-sql/pglite')

/** Frameworks whose apps are built, each in a folder of `temp/built`: they bring much that nothing else here needs. */
const builder = (name: string, found: string, packages: string): Program =>
  program(name, {
    commands: [process.execPath],
    probe: ['-e', `require('${resolve('temp/built', name, 'node_modules', found, 'package.json')}')`],
    install: { command: `npm install --no-save --prefix temp/built/${name} ${packages}` },
  })
export const nextJs = builder('next', 'next', 'next@16.4.6 react@19.3.1 react-dom@19.3.1')
export const svelteKit = builder(
  'sveltekit',
  '@sveltejs/adapter-node',
  '@sveltejs/kit@2.70.4 @sveltejs/adapter-node@5.5.7 @sveltejs/vite-plugin-svelte@7.3.1 svelte@5.57.3 vite@8.4.0',
)
export const reactRouter = builder(
  'react-router',
  '@react-router/serve',
  'react-router@7.18.4 @react-router/dev@7.18.4 @react-router/node@7.18.4 @react-router/serve@7.18.4 react@19.3.1 react-dom@19.3.1 isbot@5 vite@8.4.0',
)

const known = new Map<Program, string | undefined>()

/** The command that runs a program, or `undefined` if this machine does not have it. */
export function commandOf(wanted: Program): string | undefined {
  if (!known.has(wanted)) {
    const runs = (command: string) => spawnSync(command, wanted.probe, { stdio: 'ignore' }).status === 0
    known.set(wanted, wanted.commands.find(runs))
  }
  return known.get(wanted)
}

const isMissing = (wanted: Program): boolean => commandOf(wanted) === undefined

/** The programs that this machine does not have. */
export const missingPrograms = (): readonly Program[] => programs.filter(isMissing)

/** How to install a program, for a person. */
export const howToInstall = ({ install }: Program): string =>
  'debian' in install
    ? `apt-get install ${install.debian}`
    : 'command' in install
      ? install.command
      : install.page

/**
 * Title and options of a test, or of a group of tests, that runs these programs. Where one is missing, the test is
 * skipped and its title says why: `it(...needing('orders versions as RubyGems does', ruby), () => { … })`.
 */
export function needing(
  title: string,
  ...wanted: readonly Program[]
): [title: string, options: { skip: boolean }] {
  const missing = wanted.filter(isMissing)
  const reasons = missing.map((each) => `${each.name} is not installed: ${howToInstall(each)}`)
  return [missing.length > 0 ? `${title} (${reasons.join('; ')})` : title, { skip: missing.length > 0 }]
}
