import { formatFlag } from '../../client/flags.ts'
import { sourceText } from '../../client/pairs.ts'
import { printData, printObject, printRows, printTable } from '../../client/print.ts'
import { command, type Flags, type Group } from '../../command/declaration.ts'
import { UserError } from '../../user-error.ts'
import { showListed } from '../show-listed.ts'
import { addressFlag, administrate, administratorEnvironment, everyAccount } from './administration.ts'

const environment = administratorEnvironment

const userFlags = {
  'password-file': {
    type: 'string',
    value: 'FILE',
    about: 'a file with the password on its first line; - is a prompt, or standard input',
  },
  email: { type: 'string', value: 'ADDRESS', about: 'its e-mail address, which can sign in as well' },
} as const satisfies Flags

const nameWord = { name: 'NAME', about: 'the user name' } as const

/** The first line of a file; passwords are not arguments, because other users of the machine can read those. */
async function passwordIn(file: string | undefined): Promise<string | undefined> {
  if (file === undefined) return undefined
  const { askSecret } = await import('../../client/ask-secret.ts')
  const [password = ''] = (file === '-' ? await askSecret('Password') : await sourceText(file)).split(/\r?\n/)
  if (password === '')
    throw new UserError(`${file === '-' ? 'standard input' : file} has no password on its first line`)
  return password
}

const create = command({
  about: 'create a user',
  description: `Without a password the user cannot sign in, but has the tokens that "plinth box token create" makes. Owners
change their own boxes; administrators all boxes, users, organizations and tokens.`,
  flags: {
    ...userFlags,
    administrator: { type: 'boolean', about: 'may change all boxes, and manage users' },
    ...addressFlag,
    ...formatFlag,
  },
  words: [nameWord],
  examples: [
    { run: 'plinth box user create deploy', about: 'a user of a pipeline, which has tokens alone' },
    {
      run: "printf 'a long password' | plinth box user create alice --password-file -",
      about: 'a person, who signs in with a password',
    },
  ],
  environment,
  run: async ({ flags, words: [username] }) => {
    const { to, format, email, administrator } = flags
    const password = await passwordIn(flags['password-file'])
    const ask = await administrate(to, 'call')
    const user = { username, password, email, administrator }
    const made = await ask(`create the user ${username}`, 'POST', ['users'], { json: { user } })
    if (!printData(format, made)) printRows(Object.entries(made))
  },
})

const update = command({
  about: 'change the password, the e-mail address or the rights of a user',
  flags: {
    ...userFlags,
    administrator: {
      type: 'string',
      value: 'YES|NO',
      about: 'whether it may change all boxes, and manage users',
      choices: ['yes', 'no'],
    },
    ...addressFlag,
    ...formatFlag,
  },
  words: [nameWord],
  examples: [
    {
      run: 'plinth box user create bob && plinth box user update bob --email bob@example.com --administrator yes',
      about: 'a new administrator',
    },
  ],
  environment,
  run: async ({ flags, words: [username] }) => {
    const { to, format, email, administrator } = flags
    const password = await passwordIn(flags['password-file'])
    if (password === undefined && email === undefined && administrator === undefined)
      throw new UserError('say what changes: --password-file, --email or --administrator', 2)
    const json = {
      password,
      email,
      administrator: administrator === undefined ? undefined : administrator === 'yes',
    }
    const changed = await (await administrate(to))(
      `change the user ${username}`,
      'PUT',
      ['users', username],
      { json },
    )
    printObject(format, changed)
  },
})

const list = command({
  about: 'list the users',
  flags: { ...addressFlag, ...formatFlag },
  words: [],
  examples: [{ run: 'plinth box user list', about: 'their names and rights' }],
  environment,
  run: async ({ flags: { to, format } }) => {
    const users = await everyAccount(to, 'users')
    if (printData(format, { users })) return
    printTable(
      ['Name', 'E-mail', 'Administrator', 'Created'],
      users.map(({ username, email, administrator, created_at: created }) => [
        username,
        email ?? '',
        administrator === true ? 'yes' : 'no',
        created,
      ]),
    )
  },
})

const remove = command({
  about: 'delete a user who owns no boxes, with its tokens',
  flags: addressFlag,
  words: [nameWord],
  examples: [
    {
      run: 'plinth box user create old && plinth box user delete old',
      about: 'its tokens end, and it leaves its organizations',
    },
  ],
  environment,
  run: async ({ flags: { to }, words: [username] }) => {
    await (await administrate(to))(`delete the user ${username}`, 'DELETE', ['users', username])
    process.stdout.write(`deleted the user ${username}\n`)
  },
})

const show = showListed({
  group: 'box user',
  one: 'user',
  word: nameWord,
  key: 'username',
  to: addressFlag.to,
  environment,
  list: (to) => everyAccount(to, 'users'),
  sample: 'admin',
})

export const boxUser = {
  about: 'users of a catalog',
  commands: { create, update, list, show, delete: remove },
} as const satisfies Group
