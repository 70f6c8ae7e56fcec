import { connect, succeeded } from '../client/connection.ts'
import { secretsEnvironment, secretsFlags } from '../client/flags.ts'
import { membersOf } from '../client/members.ts'
import { sourceText } from '../client/pairs.ts'
import { print, printData, printKeys, printTable } from '../client/print.ts'
import { command, type Flags, type Group, type Word } from '../command/declaration.ts'

const nameWord = { name: 'NAME', about: 'the name of a policy' } as const satisfies Word

const list = command({
  about: 'list the policies',
  flags: secretsFlags,
  words: [],
  examples: [{ run: 'plinth policy list', about: 'one name per line' }],
  environment: secretsEnvironment,
  run: async ({ flags }) => {
    const answer = await connect(flags).call('GET', 'sys/policies/acl', { query: { list: 'true' } })
    printKeys(flags.format, succeeded(answer, 'listing the policies'))
  },
})

const read = command({
  about: 'print a policy',
  flags: secretsFlags,
  words: [nameWord],
  examples: [{ run: 'plinth policy read default', about: 'its text' }],
  environment: secretsEnvironment,
  run: async ({ flags, words: [name] }) => {
    const body = succeeded(
      await connect(flags).call('GET', `sys/policies/acl/${name}`),
      `reading the policy ${name}`,
    )
    if (printData(flags.format, body)) return
    const text = String(membersOf(body['data'] ?? body)['policy'] ?? '')
    process.stdout.write(text.endsWith('\n') ? text : `${text}\n`)
  },
})

const write = command({
  about: 'write a policy',
  flags: secretsFlags,
  words: [nameWord, { name: 'FILE', about: 'its text; - is standard input' }],
  examples: [
    { run: 'plinth policy write readers readers.hcl', about: 'from a file' },
    {
      run: `echo 'path "secret/*" { capabilities = ["read"] }' | plinth policy write readers -`,
      about: 'from standard input',
    },
  ],
  environment: secretsEnvironment,
  run: async ({ flags, words: [name, file] }) => {
    const policy = await sourceText(file)
    const answer = await connect(flags).call('PUT', `sys/policies/acl/${name}`, { body: { policy } })
    print(flags.format, succeeded(answer, `writing the policy ${name}`), { done: `wrote the policy ${name}` })
  },
})

const remove = command({
  about: 'delete a policy',
  flags: secretsFlags,
  words: [nameWord],
  examples: [{ run: 'plinth policy delete old', about: 'tokens lose the rights that it granted' }],
  environment: secretsEnvironment,
  run: async ({ flags, words: [name] }) => {
    const answer = await connect(flags).call('DELETE', `sys/policies/acl/${name}`)
    print(flags.format, succeeded(answer, `deleting the policy ${name}`), {
      done: `deleted the policy ${name}`,
    })
  },
})

const pathWord = {
  name: 'PATH',
  about: 'a request path, such as secret/data/app',
} as const satisfies Word

const operationFlag = {
  operation: {
    type: 'string',
    value: 'NAME',
    about: 'the operation (read)',
    choices: ['create', 'read', 'update', 'delete', 'list', 'scan', 'patch'],
  },
} as const satisfies Flags

const explain = command({
  about: 'show which policy and rule decide access to a path',
  description:
    'Explains the rights of the caller, of a token by its accessor, or of a list of policies. Exits 1 when access is refused.',
  flags: {
    ...secretsFlags,
    ...operationFlag,
    policies: { type: 'string', value: 'A,B', about: 'explain these policies instead of a token' },
    accessor: { type: 'string', value: 'ACCESSOR', about: 'explain the token with this accessor' },
  },
  words: [pathWord],
  examples: [
    { run: 'plinth policy explain secret/data/app', about: 'whether the caller can read it, and why' },
    {
      run: 'plinth policy explain -policies=default -operation=update secret/data/app',
      about: 'which capability a policy lacks',
      exits: 1,
    },
  ],
  exits: { 0: 'it is allowed', 1: 'it is refused, or the command failed' },
  environment: secretsEnvironment,
  run: async ({ flags, words: [path] }) => {
    const { operation = 'read', policies, accessor } = flags
    const answer = await connect(flags).call('POST', 'sys/internal/acl/explain', {
      body: { path, operation, policies, accessor },
    })
    const body = succeeded(answer, `explaining ${path}`)
    const { text, ...data } = membersOf(body['data'])
    if (!printData(flags.format, body)) {
      for (const warning of Array.isArray(body['warnings']) ? body['warnings'] : [])
        process.stderr.write(`warning: ${String(warning)}\n`)
      process.stdout.write(`${String(text)}\n`)
      if (data['needed'] !== null) process.stdout.write(`needed: ${String(data['needed'])}\n`)
    }
    return data['allowed'] === true ? 0 : 1
  },
})

const who = command({
  about: 'list the policies and tokens with access to a path',
  description: 'Batch tokens are not stored, so they are not listed; their policies are.',
  flags: { ...secretsFlags, ...operationFlag },
  words: [pathWord],
  examples: [{ run: 'plinth policy who secret/data/app', about: 'who can read it' }],
  environment: secretsEnvironment,
  run: async ({ flags, words: [path] }) => {
    const { operation = 'read' } = flags
    const answer = await connect(flags).call('POST', 'sys/internal/acl/who', { body: { path, operation } })
    const body = succeeded(answer, `asking who may ${operation} ${path}`)
    if (printData(flags.format, body)) return
    const data = membersOf(body['data'])
    const rows = (key: string, kind: string, name: string) =>
      (Array.isArray(data[key]) ? data[key] : [])
        .map(membersOf)
        .map((row) => [kind, row[name], row['policy'] ?? '', row['rule'] ?? ''])
    printTable(
      ['KIND', 'NAME OR ACCESSOR', 'POLICY', 'RULE'],
      [...rows('policies', 'policy', 'policy'), ...rows('tokens', 'token', 'accessor')],
    )
    if (data['more'] === true) process.stderr.write('more tokens exist than are listed\n')
  },
})

export const policy = {
  about: 'policies of the secrets service',
  commands: { list, read, write, delete: remove, explain, who },
} as const satisfies Group
