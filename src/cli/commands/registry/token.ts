import { fieldFlag, formatFlag } from '../../client/flags.ts'
import { membersOf } from '../../client/members.ts'
import { printData, printField, printObject, printTable } from '../../client/print.ts'
import { command, type Group } from '../../command/declaration.ts'
import { showListed } from '../show-listed.ts'
import { administerRegistry, registryEnvironment, registryFlags } from './administration.ts'

async function tokensOf(to: string | undefined) {
  const { tokens } = await (await administerRegistry(to))('list the tokens', 'GET', ['tokens'])
  return Array.isArray(tokens) ? tokens.map(membersOf) : []
}

const idWord = { name: 'ID', about: 'the id of the token, as in the list' } as const

const create = command({
  about: 'create a token, and print it; it is not shown again',
  flags: {
    namespace: {
      type: 'string',
      value: 'NAMESPACE',
      about: 'where it may publish (repeatable; everywhere)',
      multiple: true,
    },
    read: {
      type: 'string',
      value: 'NAMESPACE',
      about: 'what it may read in a private registry (repeatable; everything)',
      multiple: true,
    },
    'read-only': {
      type: 'boolean',
      about: 'it may read from a private registry, but not publish',
    },
    administrator: { type: 'boolean', about: 'it may manage tokens, too' },
    ttl: { type: 'string', value: 'DURATION', about: 'its TTL, such as 12h or 30d (no expiry)' },
    ...registryFlags,
    ...fieldFlag,
    ...formatFlag,
  },
  words: [{ name: 'NAME', about: 'a name for the token, such as ci' }],
  examples: [
    { run: 'plinth registry token create ci --namespace acme --ttl 90d', about: 'a token for a pipeline' },
    {
      run: 'plinth registry token create laptops --read-only',
      about: 'a token for readers of a private registry',
    },
    {
      run: 'REGISTRY_TOKEN=$(plinth registry token create ann --administrator --field token)',
      about: 'another administrator',
    },
  ],
  environment: registryEnvironment,
  run: async ({ flags, words: [name] }) => {
    const { to, field, format, namespace, read, administrator, 'read-only': readOnly, ttl } = flags
    const ask = await administerRegistry(to)
    const namespaces = namespace.length === 0 ? undefined : namespace
    const reads = read.length === 0 ? undefined : read
    const json = { name, namespaces, read: reads, read_only: readOnly, administrator, ttl }
    // If the answer of a first attempt is lost, a retry would leave an unknown token behind.
    const made = await ask('create a token', 'POST', ['tokens'], { json, tries: 1 })
    if (field !== undefined) return printField(made, field, 'the token')
    printObject(format, made)
  },
})

const list = command({
  about: 'list the tokens, without their secrets',
  flags: { ...registryFlags, ...formatFlag },
  words: [],
  examples: [{ run: 'plinth registry token list', about: 'their names and permissions' }],
  environment: registryEnvironment,
  run: async ({ flags: { to, format } }) => {
    const tokens = await tokensOf(to)
    if (printData(format, { tokens })) return
    printTable(
      ['ID', 'Name', 'Namespaces', 'Reads', 'Administrator', 'Expires', 'Last used'],
      tokens.map(({ id, name, namespaces, read, administrator, ...rest }) => {
        const { expires_at: expires, last_used_at: used } = rest
        const reads = Array.isArray(read) ? read.join(',') : 'all'
        const where = Array.isArray(namespaces) ? namespaces.join(',') || 'none' : 'all'
        const rights = [where, reads, administrator === true ? 'yes' : 'no']
        return [id, name, ...rights, expires ?? 'never', used ?? 'never']
      }),
    )
  },
})

const revoke = command({
  about: 'revoke a token',
  flags: registryFlags,
  words: [idWord],
  examples: [
    {
      run: 'plinth registry token revoke $(plinth registry token create old --field id)',
      about: 'revoke a token that was just created',
    },
  ],
  environment: registryEnvironment,
  run: async ({ flags: { to }, words: [id] }) => {
    await (await administerRegistry(to))(`revoke the token ${id}`, 'DELETE', ['tokens', id])
    process.stdout.write(`revoked the token ${id}\n`)
  },
})

const show = showListed({
  group: 'registry token',
  one: 'token',
  word: idWord,
  key: 'id',
  to: registryFlags.to,
  environment: registryEnvironment,
  list: tokensOf,
  sample: '$(plinth registry token create shown --field id)',
})

export const registryToken = {
  about: 'tokens that may publish modules',
  commands: { create, list, show, revoke },
} as const satisfies Group
