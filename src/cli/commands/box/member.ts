import { formatFlag } from '../../client/flags.ts'
import { membersOf } from '../../client/members.ts'
import { printData, printTable } from '../../client/print.ts'
import { command, type Group } from '../../command/declaration.ts'
import { UserError } from '../../user-error.ts'
import { addressFlag, administrate, administratorEnvironment } from './administration.ts'

const environment = {
  ...administratorEnvironment,
  CATALOG_TOKEN: 'a token with the role admin on the owner or the box',
} as const

const ofWord = { name: 'OWNER[/BOX]', about: 'whose boxes, or one box' } as const
const userWord = { name: 'USER', about: 'the user' } as const

/** The path of the members of an owner or a box. */
function pathOf(of: string): readonly string[] {
  const [owner = '', box, ...rest] = of.split('/')
  if (owner === '' || box === '' || rest.length > 0)
    throw new UserError(`"${of}" is not an owner or a box: write acme or acme/base`, 2)
  return ['owners', owner, ...(box === undefined ? [] : ['boxes', box]), 'members']
}

const list = command({
  about: 'list the users with a role on all boxes of an owner, or on one box',
  flags: { ...addressFlag, ...formatFlag },
  words: [ofWord],
  examples: [{ run: 'plinth box member list admin', about: 'who may read, publish or administer' }],
  environment,
  run: async ({ flags: { to, format }, words: [of] }) => {
    const body = await (await administrate(to))(`list the members of ${of}`, 'GET', pathOf(of))
    if (printData(format, body)) return
    const { members } = body
    printTable(
      ['User', 'Role'],
      (Array.isArray(members) ? members : []).map((member: unknown) => {
        const { username, role } = membersOf(member)
        return [username, role]
      }),
    )
  },
})

const set = command({
  about: 'give a user a role: reader, publisher or admin',
  flags: {
    role: { type: 'string', value: 'ROLE', about: 'reader, publisher or admin (reader)' },
    ...addressFlag,
  },
  words: [ofWord, userWord],
  examples: [
    {
      run: 'plinth box user create rita && plinth box member set admin rita --role publisher',
      about: 'rita publishes the boxes of admin',
    },
  ],
  environment,
  run: async ({ flags: { to, role = 'reader' }, words: [of, user] }) => {
    const ask = await administrate(to)
    await ask(`give ${user} a role on ${of}`, 'PUT', [...pathOf(of), user], { json: { role } })
    process.stdout.write(`${user} is ${role} of ${of}\n`)
  },
})

const remove = command({
  about: 'remove the role of a user',
  flags: addressFlag,
  words: [ofWord, userWord],
  examples: [
    {
      run: 'plinth box user create ron && plinth box member set admin ron && plinth box member remove admin ron',
      about: 'ron sees public boxes only',
    },
  ],
  environment,
  run: async ({ flags: { to }, words: [of, user] }) => {
    const ask = await administrate(to)
    await ask(`take the role of ${user} on ${of} away`, 'DELETE', [...pathOf(of), user])
    process.stdout.write(`${user} has no role on ${of}\n`)
  },
})

export const boxMember = {
  about: 'roles of users on the boxes of an owner, or on one box',
  commands: { list, set, remove },
} as const satisfies Group
