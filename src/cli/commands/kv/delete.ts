import { succeeded } from '../../client/connection.ts'
import { secretsEnvironment } from '../../client/flags.ts'
import { mustBeVersioned, openSecret } from '../../client/place.ts'
import { print } from '../../client/print.ts'
import { command } from '../../command/declaration.ts'
import { kvFlags, secretWord } from './flags.ts'
import { versionsFlag, versionsOf } from './versions.ts'

export const kvDelete = command({
  about: 'delete the newest version of a secret; undelete brings it back',
  flags: { versions: versionsFlag, ...kvFlags },
  words: [secretWord],
  examples: [
    { run: 'plinth kv delete secret/old', about: 'delete the newest version' },
    { run: 'plinth kv delete -versions=1,2 secret/old', about: 'delete two versions' },
  ],
  environment: secretsEnvironment,
  run: async ({ flags, words: [word] }) => {
    const { connection, place } = await openSecret(flags, word)
    const versions = flags.versions === undefined ? undefined : versionsOf(flags.versions)
    if (versions !== undefined) mustBeVersioned(place, '-versions')
    const answer =
      versions === undefined
        ? await connection.call('DELETE', place.data)
        : await connection.call('PUT', `${place.mount}delete/${place.rest}`, { body: { versions } })
    print(flags.format, succeeded(answer, `deleting ${place.path}`), { done: `deleted ${place.path}` })
  },
})
