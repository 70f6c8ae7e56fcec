import { connect, succeeded } from '../client/connection.ts'
import { secretsEnvironment, secretsFlags } from '../client/flags.ts'
import { pathWord, plainPath } from '../client/paths.ts'
import { printKeys } from '../client/print.ts'
import { command } from '../command/declaration.ts'

export const list = command({
  about: 'list a directory of the secrets service',
  flags: secretsFlags,
  words: [pathWord],
  examples: [{ run: 'plinth list secret/metadata', about: 'the names of the secrets in a mount' }],
  environment: secretsEnvironment,
  run: async ({ flags, words: [word] }) => {
    const path = plainPath(word)
    // Proxies do not know LIST: GET with a parameter is equivalent.
    const answer = await connect(flags).call('GET', path, { query: { list: 'true' } })
    printKeys(flags.format, succeeded(answer, `listing ${path}`))
  },
})
