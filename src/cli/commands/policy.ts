import { connect, succeeded } from '../client/connection.ts'
import { secretsEnvironment, secretsFlags } from '../client/flags.ts'
import { membersOf } from '../client/members.ts'
import { sourceText } from '../client/pairs.ts'
import { print, printData, printKeys } from '../client/print.ts'
import { command, type Group, type Word } from '../command/declaration.ts'

const nameWord = { name: 'NAME', about: 'the name of a policy' } as const satisfies Word

const list = command({
  about: 'list the policies',
  flags: secretsFlags,
  words: [],
  examples: [{ run: 'plinth policy list', about: 'their names, a line each' }],
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
  examples: [{ run: 'plinth policy delete old', about: 'tokens lose what it gave them' }],
  environment: secretsEnvironment,
  run: async ({ flags, words: [name] }) => {
    const answer = await connect(flags).call('DELETE', `sys/policies/acl/${name}`)
    print(flags.format, succeeded(answer, `deleting the policy ${name}`), {
      done: `deleted the policy ${name}`,
    })
  },
})

export const policy = {
  about: 'policies of the secrets service',
  commands: { list, read, write, delete: remove },
} as const satisfies Group
