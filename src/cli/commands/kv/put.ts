import { succeeded } from '../../client/connection.ts'
import { secretsEnvironment } from '../../client/flags.ts'
import { bodyOf, valueHelp } from '../../client/pairs.ts'
import { mustBeVersioned, openSecret } from '../../client/place.ts'
import { print } from '../../client/print.ts'
import { command } from '../../command/declaration.ts'
import { casFlag, casOf } from './cas.ts'
import { kvFlags, secretWord } from './flags.ts'

export const kvPut = command({
  about: 'write a secret',
  flags: {
    cas: casFlag,
    ...kvFlags,
  },
  words: [secretWord, { name: 'NAME=VALUE', about: valueHelp, rest: true }],
  examples: [
    { run: 'plinth kv put secret/app user=ada password=hunter2', about: 'write two fields' },
    { run: 'plinth kv put secret/tls cert=@cert.pem', about: 'a field from a file' },
    { run: `echo '{"user":"ada"}' | plinth kv put secret/app -`, about: 'write a JSON object' },
  ],
  environment: secretsEnvironment,
  run: async ({ flags, words: [word, ...pairs] }) => {
    const options = casOf(flags.cas)
    const data = await bodyOf(pairs)
    const { connection, place } = await openSecret(flags, word)
    if (options !== undefined) mustBeVersioned(place, '-cas')
    const body = place.versioned ? { data, ...(options === undefined ? {} : { options }) } : data
    print(
      flags.format,
      succeeded(await connection.call('PUT', place.data, { body }), `writing ${place.path}`),
      { done: `wrote ${place.path}` },
    )
  },
})
