import { connect, succeeded } from '../client/connection.ts'
import { secretsEnvironment, secretsFlags } from '../client/flags.ts'
import { membersOf } from '../client/members.ts'
import { bodyOf } from '../client/pairs.ts'
import { plainPath } from '../client/paths.ts'
import { print, printData, printTable } from '../client/print.ts'
import { command, type Flags, type Group } from '../command/declaration.ts'
import { UserError } from '../user-error.ts'

/** What a group of commands mounts in the secrets service. */
interface Mounted {
  /** One of them, as in `a secrets engine`. */
  readonly one: string
  readonly about: string
  /** Where the service lists them. */
  readonly at: 'sys/mounts' | 'sys/auth'
  /** The command of the group. */
  readonly name: 'secrets' | 'auth'
  /** A type, and a path for it, as examples show them. */
  readonly sample: { readonly type: string; readonly path: string }
}

const ttlFlags = {
  'default-lease-ttl': { type: 'string', value: 'DURATION', about: 'the TTL of its leases and tokens' },
  'max-lease-ttl': { type: 'string', value: 'DURATION', about: 'their maximum TTL' },
  description: { type: 'string', value: 'TEXT', about: 'a description' },
} as const satisfies Flags

const pathFlag = { path: { type: 'string', value: 'PATH', about: 'path of the mount (its type)' } } as const

/** `enable`, `disable`, `list` and `tune` of secrets engines or of auth methods. */
const mountCommands = (mounted: Mounted) =>
  ({
    about: mounted.about,
    commands: {
      enable: enableCommand(mounted),
      list: listCommand(mounted),
      show: showCommand(mounted),
      tune: tuneCommand(mounted),
      disable: disableCommand(mounted),
    },
  }) satisfies Group

const kvFlags = {
  version: {
    type: 'string',
    value: 'N',
    about: 'of a kv engine: 1, or 2 with versions',
    choices: ['1', '2'],
  },
} as const

function enableCommand({ one, at, name, sample: { type: sampleType, path: samplePath } }: Mounted) {
  return command({
    about: `mount ${one}`,
    flags: {
      ...pathFlag,
      ...ttlFlags,
      ...(at === 'sys/mounts' ? kvFlags : ({} as typeof kvFlags)),
      ...secretsFlags,
    },
    words: [{ name: 'TYPE', about: `its type, such as ${sampleType}` }],
    examples: [
      { run: `plinth ${name} enable -path=${samplePath} ${sampleType}`, about: `at ${samplePath}/` },
    ],
    environment: secretsEnvironment,
    run: async ({ flags, words: [type] }) => {
      const path = plainPath(flags.path ?? type)
      const body = {
        type,
        description: flags.description,
        config: { default_lease_ttl: flags['default-lease-ttl'], max_lease_ttl: flags['max-lease-ttl'] },
        options: flags.version === undefined ? undefined : { version: flags.version },
      }
      const answer = await connect(flags).call('POST', `${at}/${path}`, { body })
      print(flags.format, succeeded(answer, `enabling ${type} at ${path}/`), {
        done: `enabled ${type} at ${path}/`,
      })
    },
  })
}

function disableCommand({ one, at, name, sample: { path: samplePath } }: Mounted) {
  return command({
    about: `unmount ${one}: its data and its leases are deleted`,
    flags: secretsFlags,
    words: [{ name: 'PATH', about: 'path of the mount' }],
    examples: [{ run: `plinth ${name} disable ${samplePath}`, about: 'with everything below the path' }],
    environment: secretsEnvironment,
    run: async ({ flags, words: [word] }) => {
      const path = plainPath(word)
      const answer = await connect(flags).call('DELETE', `${at}/${path}`)
      print(flags.format, succeeded(answer, `disabling ${path}/`), { done: `disabled ${path}/` })
    },
  })
}

function listCommand({ about, at, name }: Mounted) {
  return command({
    about: `list the mounts: path, type, accessor and description`,
    flags: secretsFlags,
    words: [],
    examples: [{ run: `plinth ${name} list`, about: 'as a table' }],
    environment: secretsEnvironment,
    run: async ({ flags }) => {
      const body = succeeded(await connect(flags).call('GET', at), `listing ${about}`)
      const mounts = membersOf(body['data'] ?? body)
      if (!printData(flags.format, mounts)) printMounts(mounts)
    },
  })
}

function tuneCommand({ one, at, name, sample: { path: samplePath } }: Mounted) {
  return command({
    about: `change the TTLs or the description of ${one}`,
    flags: { ...ttlFlags, ...secretsFlags },
    words: [{ name: 'PATH', about: 'path of the mount' }],
    examples: [
      {
        run: `plinth ${name} tune -max-lease-ttl=24h ${samplePath}`,
        about: 'leases end after a day at most',
      },
    ],
    environment: secretsEnvironment,
    run: async ({ flags, words: [word] }) => {
      const path = plainPath(word)
      const answer = await connect(flags).call('POST', `${at}/${path}/tune`, {
        body: {
          description: flags.description,
          default_lease_ttl: flags['default-lease-ttl'],
          max_lease_ttl: flags['max-lease-ttl'],
        },
      })
      print(flags.format, succeeded(answer, `tuning ${path}/`), { done: `tuned ${path}/` })
    },
  })
}

function showCommand({ one, at, name, sample: { path: samplePath } }: Mounted) {
  return command({
    about: `show ${one}`,
    flags: secretsFlags,
    words: [{ name: 'PATH', about: 'path of the mount' }],
    examples: [{ run: `plinth ${name} show ${samplePath}`, about: 'its options and TTLs' }],
    environment: secretsEnvironment,
    run: async ({ flags, words: [word] }) => {
      const path = plainPath(word)
      print(flags.format, succeeded(await connect(flags).call('GET', `${at}/${path}`), `reading ${path}/`))
    },
  })
}

const showAudit = command({
  about: 'show an audit device',
  flags: secretsFlags,
  words: [{ name: 'PATH', about: 'the path of the device' }],
  examples: [{ run: 'plinth audit show file', about: 'its options' }],
  environment: secretsEnvironment,
  run: async ({ flags, words: [word] }) => {
    const path = plainPath(word)
    const body = succeeded(await connect(flags).call('GET', 'sys/audit'), 'listing the audit devices')
    const device = membersOf(body['data'])[`${path}/`]
    if (device === undefined)
      throw new UserError(`there is no audit device at ${path}/: plinth audit list shows them`)
    print(flags.format, { data: device })
  },
})

/** Prints mounts or devices by their paths. */
const printMounts = (mounts: Readonly<Record<string, unknown>>): void =>
  printTable(
    ['PATH', 'TYPE', 'ACCESSOR', 'DESCRIPTION'],
    Object.entries(mounts)
      .map(([path, mount]) => [path, membersOf(mount)] as const)
      .filter(([, mount]) => typeof mount['type'] === 'string')
      .map(([path, mount]) => [path, mount['type'], mount['accessor'] ?? '', mount['description'] ?? '']),
  )

export const secrets = mountCommands({
  one: 'a secrets engine',
  about: 'secrets engines and where they are mounted',
  at: 'sys/mounts',
  name: 'secrets',
  sample: { type: 'kv', path: 'apps' },
})

export const auth = mountCommands({
  one: 'an auth method',
  about: 'auth methods and where they are mounted',
  at: 'sys/auth',
  name: 'auth',
  sample: { type: 'userpass', path: 'people' },
})

const enableAudit = command({
  about: 'log every request and answer to a device; their secrets are hashed',
  flags: { ...pathFlag, description: ttlFlags.description, ...secretsFlags },
  words: [
    { name: 'TYPE', about: 'file or socket' },
    {
      name: 'NAME=VALUE',
      about: 'options of the device: file_path=FILE for a file, address=HOST:PORT for a socket',
      optional: true,
      rest: true,
    },
  ],
  examples: [
    {
      run: 'plinth audit enable file file_path=$PWD/audit.log',
      about: 'to a file on the machine of the server',
    },
  ],
  environment: secretsEnvironment,
  run: async ({ flags, words: [type, ...pairs] }) => {
    const path = plainPath(flags.path ?? type)
    const body = { type, description: flags.description, options: await bodyOf(pairs) }
    const answer = await connect(flags).call('PUT', `sys/audit/${path}`, { body })
    print(flags.format, succeeded(answer, `enabling the audit device ${path}/`), {
      done: `enabled the audit device ${path}/`,
    })
  },
})

const listAudit = command({
  about: 'list the audit devices',
  flags: secretsFlags,
  words: [],
  examples: [{ run: 'plinth audit list', about: 'as a table' }],
  environment: secretsEnvironment,
  run: async ({ flags }) => {
    const body = succeeded(await connect(flags).call('GET', 'sys/audit'), 'listing the audit devices')
    const devices = membersOf(body['data'])
    if (!printData(flags.format, devices)) printMounts(devices)
  },
})

const disableAudit = command({
  about: 'stop logging to a device',
  flags: secretsFlags,
  words: [{ name: 'PATH', about: 'the path of the device' }],
  examples: [{ run: 'plinth audit disable file', about: 'what it has logged stays' }],
  environment: secretsEnvironment,
  run: async ({ flags, words: [word] }) => {
    const path = plainPath(word)
    const answer = await connect(flags).call('DELETE', `sys/audit/${path}`)
    print(flags.format, succeeded(answer, `disabling the audit device ${path}/`), {
      done: `disabled the audit device ${path}/`,
    })
  },
})

export const audit = {
  about: 'audit devices of the secrets service',
  commands: { enable: enableAudit, list: listAudit, show: showAudit, disable: disableAudit },
} as const satisfies Group
