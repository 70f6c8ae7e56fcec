import { connect, succeeded } from '../client/connection.ts'
import { fieldFlag, secretsEnvironment, secretsFlags } from '../client/flags.ts'
import { pairsOf } from '../client/pairs.ts'
import { pathWord, plainPath } from '../client/paths.ts'
import { print } from '../client/print.ts'
import { command } from '../command/declaration.ts'

export const read = command({
  about: 'read any path of the secrets service',
  flags: { ...fieldFlag, ...secretsFlags },
  words: [
    pathWord,
    { name: 'NAME=VALUE', about: 'a query parameter, such as version=1', optional: true, rest: true },
  ],
  examples: [
    { run: 'plinth read secret/data/app version=1', about: 'the first version of a secret' },
    { run: 'plinth read -field=sealed sys/seal-status', about: 'one field, for a script' },
  ],
  environment: secretsEnvironment,
  run: async ({ flags, words: [word, ...pairs] }) => {
    const path = plainPath(word)
    const answer = await connect(flags).call('GET', path, { query: pairsOf(pairs) })
    print(flags.format, succeeded(answer, `reading ${path}`), { field: flags.field, name: path })
  },
})
