import { fieldFlag, formatFlag } from '../../client/flags.ts'
import { membersOf } from '../../client/members.ts'
import { printData, printField, printObject, printTable } from '../../client/print.ts'
import { command, type Group } from '../../command/declaration.ts'
import { showListed } from '../show-listed.ts'
import { addressFlag, administrate, administratorEnvironment } from './administration.ts'

const idWord = { name: 'ID', about: 'the id of the token, as in the list' } as const

const create = command({
  about: 'create a token for a user, and print it; it is not shown again',
  flags: {
    description: { type: 'string', value: 'TEXT', about: 'what it is for' },
    role: {
      type: 'string',
      value: 'ROLE',
      about: 'its highest role: reader, publisher or admin (that of the user)',
    },
    owner: {
      type: 'string',
      value: 'NAME',
      about: 'whose boxes it is for (repeatable; all)',
      multiple: true,
    },
    ttl: { type: 'string', value: 'DURATION', about: 'its TTL, such as 12h or 30d (no expiry)' },
    ...addressFlag,
    ...fieldFlag,
    ...formatFlag,
  },
  words: [{ name: 'USER', about: 'whose it is' }],
  examples: [
    { run: 'plinth box token create admin --description laptop', about: 'a token with the rights of admin' },
    {
      run: 'plinth box token create admin --role publisher --owner admin --ttl 90d',
      about: 'a token for a pipeline',
    },
    {
      run: 'CATALOG_TOKEN=$(plinth box token create admin --field token) plinth box user list',
      about: 'stores only the token',
    },
  ],
  environment: administratorEnvironment,
  run: async ({ flags: { to, field, format, description, role, owner, ttl }, words: [username] }) => {
    const ask = await administrate(to)
    const owners = owner.length === 0 ? undefined : owner
    const json = { username, description, role, owners, ttl }
    // If the answer of a first attempt is lost, a retry would leave an unknown token behind.
    const made = await ask(`create a token for ${username}`, 'POST', ['tokens'], { json, tries: 1 })
    if (field !== undefined) return printField(made, field, 'the token')
    printObject(format, made)
  },
})

const ownEnvironment = {
  ...administratorEnvironment,
  CATALOG_TOKEN: 'the token of an administrator, or of the user whose tokens they are',
} as const

async function tokensOf(to: string | undefined, user?: string) {
  const query = user === undefined ? '' : `?username=${encodeURIComponent(user)}`
  const { tokens } = await (await administrate(to))('list the tokens', 'GET', ['tokens'], { query })
  return Array.isArray(tokens) ? tokens.map(membersOf) : []
}

const list = command({
  about: 'list tokens, without their secrets',
  flags: {
    user: { type: 'string', value: 'NAME', about: 'only the tokens of this user' },
    ...addressFlag,
    ...formatFlag,
  },
  words: [],
  examples: [{ run: 'plinth box token list --user admin', about: 'what they are for' }],
  environment: ownEnvironment,
  run: async ({ flags: { to, format, user } }) => {
    const tokens = await tokensOf(to, user)
    if (printData(format, { tokens })) return
    printTable(
      ['ID', 'User', 'Description', 'Role', 'Created', 'Expires', 'Last used'],
      tokens.map(({ id, username, description, role, created_at: created, ...rest }) => {
        const { expires_at: expires, last_used_at: used } = rest
        return [id, username, description, role ?? 'all', created, expires ?? 'never', used ?? 'never']
      }),
    )
  },
})

const revoke = command({
  about: 'revoke a token',
  flags: addressFlag,
  words: [idWord],
  examples: [
    {
      run: 'plinth box token revoke $(plinth box token create admin --field id)',
      about: 'revoke a token that was just created',
    },
  ],
  environment: ownEnvironment,
  run: async ({ flags: { to }, words: [id] }) => {
    await (await administrate(to))(`revoke the token ${id}`, 'DELETE', ['tokens', id])
    process.stdout.write(`revoked the token ${id}\n`)
  },
})

const show = showListed({
  group: 'box token',
  one: 'token',
  word: idWord,
  key: 'id',
  to: addressFlag.to,
  environment: ownEnvironment,
  list: (to) => tokensOf(to),
  sample: '$(plinth box token create admin --field id)',
})

export const boxToken = {
  about: 'tokens of the users of a catalog',
  commands: { create, list, show, revoke },
} as const satisfies Group
