import { connect, succeeded } from '../client/connection.ts'
import { secretsEnvironment, secretsFlags } from '../client/flags.ts'
import { pathWord, plainPath } from '../client/paths.ts'
import { print } from '../client/print.ts'
import { command } from '../command/declaration.ts'

export const deletePath = command({
  about: 'delete at any path of the secrets service',
  flags: secretsFlags,
  words: [pathWord],
  examples: [{ run: 'plinth delete secret/metadata/old', about: 'delete a secret with all its versions' }],
  environment: secretsEnvironment,
  run: async ({ flags, words: [word] }) => {
    const path = plainPath(word)
    print(flags.format, succeeded(await connect(flags).call('DELETE', path), `deleting ${path}`), {
      done: `deleted ${path}`,
    })
  },
})
