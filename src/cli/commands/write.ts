import { connect, succeeded } from '../client/connection.ts'
import { fieldFlag, secretsEnvironment, secretsFlags } from '../client/flags.ts'
import { bodyOf, valueHelp } from '../client/pairs.ts'
import { pathWord, plainPath } from '../client/paths.ts'
import { print } from '../client/print.ts'
import { command } from '../command/declaration.ts'

export const write = command({
  about: 'write to any path of the secrets service',
  flags: { ...fieldFlag, ...secretsFlags },
  words: [
    pathWord,
    {
      name: 'NAME=VALUE',
      about: valueHelp,
      optional: true,
      rest: true,
    },
  ],
  examples: [
    { run: 'plinth write sys/mounts/team type=kv', about: 'mount a key-value engine' },
    {
      run: `echo '{"data":{"user":"ada"}}' | plinth write secret/data/app -`,
      about: 'write a JSON object from standard input',
    },
  ],
  environment: secretsEnvironment,
  run: async ({ flags, words: [word, ...pairs] }) => {
    const path = plainPath(word)
    const body = await bodyOf(pairs)
    const answer = await connect(flags).call('PUT', path, { body })
    print(flags.format, succeeded(answer, `writing ${path}`), {
      done: `wrote ${path}`,
      field: flags.field,
      name: path,
    })
  },
})
