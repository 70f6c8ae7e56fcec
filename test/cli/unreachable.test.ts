import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeEach, expect, it, vi } from 'vitest'
import { type AnyCommand, type Group, isGroup } from '../../src/cli/command/declaration.ts'
import { parse } from '../../src/cli/command/parse.ts'
import { plinth } from '../../src/cli/commands/index.ts'
import { UserError } from '../../src/cli/user-error.ts'
import { freePort } from '../store/free-port.ts'
import { folder, removeFolders } from './server.ts'

/** Every command that asks a server says which address does not answer, and why. */

const services = ['SECRETS', 'SCHEDULER', 'CATALOG', 'REGISTRY'] as const

const commandsOf = (node: AnyCommand | Group, names: readonly string[]): readonly [string, AnyCommand][] =>
  isGroup(node)
    ? Object.entries(node.commands).flatMap(([name, each]) => commandsOf(each, [...names, name]))
    : [[names.join(' '), node]]

const asking = commandsOf(plinth, ['plinth']).filter(([, { environment = {} }]) =>
  services.some((service) => `${service}_ADDR` in environment),
)

const here = folder()
const job = join(here, 'web.json')
writeFileSync(
  job,
  JSON.stringify({ Job: { ID: 'web', TaskGroups: [{ Name: 'a', Tasks: [{ Name: 'b', Driver: 'exec' }] }] } }),
)
const box = join(here, 'base.box')
writeFileSync(box, 'an image')
const password = join(here, 'password')
writeFileSync(password, 'hunter2')
mkdirSync(join(here, 'vpc'))
writeFileSync(join(here, 'vpc/main.tf'), '')

/** What stands for a word of a usage line, where "x" would not do. */
const words: Readonly<Record<string, string>> = {
  'USER/NAME': 'acme/base',
  VERSION: '1.0.0',
  'NAMESPACE/NAME/PROVIDER': 'acme/vpc/aws',
  'NAME=VALUE': 'a=b',
  FOLDER: join(here, 'vpc'),
  FILE: job,
  ROLE: 'reader',
}
/** The arguments of a command, where its words alone do not make a whole command line. */
const module = 'acme/vpc/aws'
const whole: Readonly<Record<string, readonly string[]>> = {
  'plinth module publish': [join(here, 'vpc'), module, '1.0.0'],
  'plinth module update': [module, '--description=a'],
  'plinth module rename': [module, 'acme/network/aws'],
  'plinth module deprecate': [module, '1.0.0', '--undo'],
  'plinth module delete': [module, '1.0.0'],
  'plinth box delete': ['acme/base', '1.0.0'],
  'plinth module mirror': ['ADDRESS', module],
  'plinth box push': ['acme/base', '1.0.0', box, '--provider=qemu'],
  'plinth box mirror': ['ADDRESS', 'acme'],
  'plinth box user update': ['ada', '--email=ada@example.com'],
  'plinth box organization update': ['acme', '--no-members'],
  'plinth login': ['username=ada', `password=@${password}`],
  'plinth kv undelete': ['secret/app', '-versions=1'],
  'plinth kv destroy': ['secret/app', '-versions=1'],
  'plinth kv rollback': ['secret/app', '-version=1'],
  'plinth job revert': ['web', '1'],
  'plinth job scale': ['web', '1'],
  'plinth node drain': ['x', '-enable'],
  'plinth node eligibility': ['x', '-enable'],
}

let address = ''
beforeEach(async () => {
  address = `http://127.0.0.1:${await freePort()}`
  for (const service of services) {
    vi.stubEnv(`${service}_ADDR`, address)
    vi.stubEnv(`${service}_TOKEN`, 't')
  }
  vi.useFakeTimers({ toFake: ['setTimeout'] })
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
})
afterAll(removeFolders)

it.each(asking)('%s names the address that does not answer', async (name, command) => {
  vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  const needed = Object.entries(command.flags).flatMap(([flag, { type, ...more }]) =>
    type === 'string' && 'required' in more ? [`--${flag}`, 'x'] : [],
  )
  const args = whole[name]?.map((word) => word.replace('ADDRESS', address)) ?? [
    ...needed,
    ...command.words.map((word) => words[word.name] ?? 'x'),
  ]
  const given = parse(name.split(' '), command, args)
  let failed: unknown
  const ended = command.run(given as never).then(
    () => (failed = 'it succeeded'),
    (error: unknown) => (failed = error),
  )
  // Retries come at once.
  while (failed === undefined) await Promise.race([vi.advanceTimersToNextTimerAsync(), ended])
  expect(failed).toBeInstanceOf(UserError)
  expect(String(failed)).toContain(address)
  expect(String(failed)).toContain('connection refused; is the server running, and is the address right?')
})
