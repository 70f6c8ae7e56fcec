import { formatFlag } from '../../client/flags.ts'
import { printData, printRows, printTable } from '../../client/print.ts'
import { command, type Flags, type Group } from '../../command/declaration.ts'
import { UserError } from '../../user-error.ts'
import { showListed } from '../show-listed.ts'
import { addressFlag, administrate, administratorEnvironment, everyAccount } from './administration.ts'

const environment = administratorEnvironment

const flags = {
  member: {
    type: 'string',
    value: 'USER',
    about: 'a member, at first with the role admin (repeatable)',
    multiple: true,
  },
  ...addressFlag,
  ...formatFlag,
} as const satisfies Flags

const nameWord = { name: 'NAME', about: 'the organization' } as const

const create = command({
  about: 'create an organization: an owner of boxes that several users share',
  flags,
  words: [nameWord],
  examples: [
    {
      run: 'plinth box user create ann && plinth box organization create team --member ann',
      about: 'ann may change the boxes team/…',
    },
  ],
  environment,
  run: async ({ flags: { to, format, member }, words: [username] }) => {
    const ask = await administrate(to)
    const json = { username, members: member }
    const made = await ask(`create the organization ${username}`, 'POST', ['organizations'], { json })
    if (!printData(format, made)) printRows(Object.entries(made))
  },
})

const update = command({
  about: 'replace the members of an organization',
  flags: {
    ...flags,
    'no-members': { type: 'boolean', about: 'remove all members: only administrators may change its boxes' },
  },
  words: [nameWord],
  examples: [
    {
      run: 'plinth box organization create staff && plinth box organization update staff --member admin',
      about: 'in place of the members that it had',
    },
  ],
  environment,
  run: async ({ flags: { to, format, member, 'no-members': none }, words: [username] }) => {
    if ((member.length === 0) !== none)
      throw new UserError('name every member with --member, or use --no-members, not both', 2)
    const changed = await (await administrate(to))(
      `change the organization ${username}`,
      'PUT',
      ['organizations', username],
      { json: { members: member } },
    )
    if (!printData(format, changed)) printRows(Object.entries(changed))
  },
})

const list = command({
  about: 'list the organizations and their members',
  flags: { ...addressFlag, ...formatFlag },
  words: [],
  examples: [{ run: 'plinth box organization list --format json', about: 'for a program' }],
  environment,
  run: async ({ flags: { to, format } }) => {
    const organizations = await everyAccount(to, 'organizations')
    if (printData(format, { organizations })) return
    printTable(
      ['Name', 'Members', 'Created'],
      organizations.map(({ username, members, created_at: created }) => [
        username,
        Array.isArray(members) ? members.join(',') : '',
        created,
      ]),
    )
  },
})

const remove = command({
  about: 'delete an organization that owns no boxes',
  flags: addressFlag,
  words: [nameWord],
  examples: [
    {
      run: 'plinth box organization create idle && plinth box organization delete idle',
      about: 'its members stay',
    },
  ],
  environment,
  run: async ({ flags: { to }, words: [username] }) => {
    const ask = await administrate(to)
    await ask(`delete the organization ${username}`, 'DELETE', ['organizations', username])
    process.stdout.write(`deleted the organization ${username}\n`)
  },
})

const show = showListed({
  group: 'box organization',
  one: 'organization',
  word: nameWord,
  key: 'username',
  to: addressFlag.to,
  environment,
  list: (to) => everyAccount(to, 'organizations'),
  sample: 'team',
})

export const boxOrganization = {
  about: 'organizations of a catalog',
  commands: { create, update, list, show, delete: remove },
} as const satisfies Group
