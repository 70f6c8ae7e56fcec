import { fieldFlag, formatFlag } from '../../client/flags.ts'
import { membersOf } from '../../client/members.ts'
import { printData, printField, printRows, printTable } from '../../client/print.ts'
import { command, type Flags, type Group } from '../../command/declaration.ts'
import type { SentAnswer } from '../../send.ts'

const flags = {
  to: { type: 'string', value: 'URL', about: 'address of the registry (http://127.0.0.1:8400)' },
} as const satisfies Flags

const environment = {
  REGISTRY_ADDR: 'address of the registry, where --to does not say it',
  REGISTRY_TOKEN: 'the token of an administrator of the registry',
} as const

/** Connects to the registry; `ask` returns the body, and throws the registry's message for a refusal. */
async function connect(to: string | undefined) {
  const { refusalOf, registryClient } = await import('../../module/index.ts')
  const registry = registryClient(to)
  return async (
    what: string,
    status: number,
    ...request: Parameters<typeof registry.call>
  ): Promise<SentAnswer & { readonly body: unknown }> => {
    const answer = await registry.call(...request)
    if (answer.status !== status) throw refusalOf(answer, `cannot ${what}`)
    return { ...answer, body: answer.text === '' ? undefined : JSON.parse(answer.text) }
  }
}

const path = 'plinth/v1/tokens'

const create = command({
  about: 'create a token, and print it: it is shown this once',
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
      about: 'it may publish nowhere: to read from a private registry',
    },
    administrator: { type: 'boolean', about: 'it may manage tokens, too' },
    ttl: { type: 'string', value: 'DURATION', about: 'how long it lives, as in 12h or 30d (without end)' },
    ...flags,
    ...fieldFlag,
    ...formatFlag,
  },
  words: [{ name: 'NAME', about: 'whose it is, as in ci' }],
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
  environment,
  run: async ({ flags, words: [name] }) => {
    const { to, field, format, namespace, read, administrator, 'read-only': readOnly, ttl } = flags
    const ask = await connect(to)
    const namespaces = namespace.length === 0 ? undefined : namespace
    const reads = read.length === 0 ? undefined : read
    const json = { name, namespaces, read: reads, read_only: readOnly, administrator, ttl }
    // If the answer of a first attempt is lost, a retry would leave an unknown token behind.
    const { body } = await ask('create a token', 201, 'POST', path, { json, tries: 1 })
    const made = membersOf(body)
    if (field !== undefined) return printField(made, field, 'the token')
    if (!printData(format, made)) printRows(Object.entries(made).filter(([, value]) => value !== null))
  },
})

const list = command({
  about: 'list the tokens, without their secrets',
  flags: { ...flags, ...formatFlag },
  words: [],
  examples: [{ run: 'plinth registry token list', about: 'whose they are, and what they may' }],
  environment,
  run: async ({ flags: { to, format } }) => {
    const { body } = await (await connect(to))('list the tokens', 200, 'GET', path)
    if (printData(format, body)) return
    const { tokens } = membersOf(body)
    printTable(
      ['ID', 'Name', 'Namespaces', 'Reads', 'Administrator', 'Expires', 'Last used'],
      (Array.isArray(tokens) ? tokens : []).map((token: unknown) => {
        const { id, name, namespaces, read, administrator, ...rest } = membersOf(token)
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
  flags,
  words: [{ name: 'ID', about: 'the id of the token, as in the list' }],
  examples: [
    {
      run: 'plinth registry token revoke $(plinth registry token create old --field id)',
      about: 'revoke a token that was just created',
    },
  ],
  environment,
  run: async ({ flags: { to }, words: [id] }) => {
    const ask = await connect(to)
    await ask(`revoke the token ${id}`, 204, 'DELETE', `${path}/${encodeURIComponent(id)}`)
    process.stdout.write(`revoked the token ${id}\n`)
  },
})

export const registryToken = {
  about: 'tokens that may publish modules',
  commands: { create, list, revoke },
} as const satisfies Group
