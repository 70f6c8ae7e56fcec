import { succeeded } from '../../client/connection.ts'
import { secretsEnvironment } from '../../client/flags.ts'
import { bodyOf, valueHelp } from '../../client/pairs.ts'
import { mustBeVersioned, openSecret } from '../../client/place.ts'
import { print } from '../../client/print.ts'
import { command } from '../../command/declaration.ts'
import { casFlag, casOf } from './cas.ts'
import { kvFlags, secretWord } from './flags.ts'

export const kvPatch = command({
  about: 'change some fields of a secret, and keep the others',
  flags: { cas: casFlag, ...kvFlags },
  words: [secretWord, { name: 'NAME=VALUE', about: valueHelp, rest: true }],
  examples: [
    {
      run: 'plinth kv patch secret/app password=correct-horse',
      about: 'a new version with one field changed',
    },
    { run: `echo '{"user":null}' | plinth kv patch secret/app -`, about: 'a null removes a field' },
  ],
  environment: secretsEnvironment,
  run: async ({ flags, words: [word, ...pairs] }) => {
    const options = casOf(flags.cas)
    const data = await bodyOf(pairs)
    const { connection, place } = await openSecret(flags, word)
    mustBeVersioned(place, 'patch')
    const answer = await connection.call('PATCH', place.data, {
      body: { data, ...(options === undefined ? {} : { options }) },
      contentType: 'application/merge-patch+json',
    })
    print(flags.format, succeeded(answer, `patching ${place.path}`), { done: `patched ${place.path}` })
  },
})
