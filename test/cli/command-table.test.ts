import { describe, expect, it } from 'vitest'
import { type AnyCommand, type Group, isGroup } from '../../src/cli/command/declaration.ts'
import { plinth } from '../../src/cli/commands/index.ts'

interface Named {
  readonly name: string
  readonly command: AnyCommand
}

const groupsOf = (
  group: Group,
  name: string,
): readonly { readonly name: string; readonly group: Group }[] => [
  { name, group },
  ...Object.entries(group.commands).flatMap(([inner, each]) =>
    isGroup(each) ? groupsOf(each, `${name} ${inner}`) : [],
  ),
]
const commandsOf = (group: Group, name: string): readonly Named[] =>
  Object.entries(group.commands).flatMap(([inner, each]) =>
    isGroup(each) ? commandsOf(each, `${name} ${inner}`) : [{ name: `${name} ${inner}`, command: each }],
  )

const groups = groupsOf(plinth, 'plinth')
const commands = commandsOf(plinth, 'plinth')

/** The words that clients of these services use for the same thing. */
const words = {
  create: ['create', 'apply', 'put', 'write', 'publish', 'push', 'enable', 'run', 'set'],
  list: ['list', 'status'],
  show: ['show', 'info', 'get', 'read', 'lookup', 'status'],
  delete: ['delete', 'revoke', 'disable', 'purge', 'stop', 'remove'],
} as const
const hasOne = (group: Group, of: keyof typeof words) => words[of].some((word) => word in group.commands)

/** The metadata of a secret belongs to the secret, which kv lists; the list of members says the role of each. */
const part: Readonly<Record<string, readonly string[]>> = {
  'plinth kv metadata': ['list'],
  'plinth box member': ['show'],
}
const creating = groups.filter(({ group }) => hasOne(group, 'create'))

describe('the table of commands', () => {
  it.each(creating.map(({ name, group }) => [name, group] as const))(
    'has list, show and delete for what %s creates',
    (name, group) => {
      const missing = (['list', 'show', 'delete'] as const).filter((of) => !hasOne(group, of))
      expect(missing).toEqual(part[name] ?? [])
    },
  )

  it('creates what each service has', () => {
    expect(creating.map(({ name }) => name)).toEqual(
      expect.arrayContaining([
        'plinth namespace',
        'plinth node pool',
        'plinth acl policy',
        'plinth acl role',
        'plinth acl token',
        'plinth box webhook',
        'plinth registry webhook',
        'plinth registry token',
      ]),
    )
  })

  it('prints data as JSON wherever a command reads or creates', () => {
    const reading =
      /^(?:list|show|info|get|read|lookup|status|create|history|inspect|plan|versions|explain|who)$/
    const without = commands
      .filter(({ name }) => reading.test(name.split(' ').at(-1) ?? ''))
      .filter(({ command: { flags } }) => !('format' in flags))
    expect(without.map(({ name }) => name)).toEqual([])
  })

  it('takes secrets from a file, a prompt or the environment, not as the values of flags', () => {
    const secret = /(?:^|-)(?:password|passphrase|secret|token|key)$/
    // Those of a development server, which generates what is not given.
    const flags = commands
      .filter(({ name }) => name !== 'plinth serve')
      .flatMap(({ name, command: { flags: all } }) =>
        Object.entries(all)
          .filter(([flag, { type }]) => type === 'string' && secret.test(flag))
          .map(([flag]) => `${name} --${flag}`),
      )
    expect(flags).toEqual([])
    const arguments_ = commands.flatMap(({ name, command: { words: all } }) =>
      all
        .filter((word) => /^(?:TOKEN|KEY|PASSWORD)$/.test(word.name))
        .map(({ optional, about }) => ({ command: name, optional, about })),
    )
    for (const each of arguments_)
      expect(each).toEqual({ ...each, optional: true, about: expect.stringContaining('prompt') })
  })
})
