import { succeeded } from '../../client/connection.ts'
import { secretsEnvironment } from '../../client/flags.ts'
import { membersOf } from '../../client/members.ts'
import { mustBeVersioned, openSecret } from '../../client/place.ts'
import { print } from '../../client/print.ts'
import { command } from '../../command/declaration.ts'
import { UserError } from '../../user-error.ts'
import { kvFlags, secretWord } from './flags.ts'

export const kvRollback = command({
  about: 'write an earlier version of a secret again, as the newest',
  flags: {
    version: { type: 'string', value: 'N', about: 'the version to go back to', required: true },
    ...kvFlags,
  },
  words: [secretWord],
  examples: [{ run: 'plinth kv rollback -version=1 secret/app', about: 'write version 1 again' }],
  environment: secretsEnvironment,
  run: async ({ flags, words: [word] }) => {
    const { version } = flags
    if (!/^[1-9]\d*$/.test(version))
      throw new UserError(`-version takes the number of a version, not "${version}"`, 2)
    const { connection, place } = await openSecret(flags, word)
    mustBeVersioned(place, 'rollback')
    const metadata = succeeded(await connection.call('GET', place.metadata), `reading ${place.path}`)
    const newest = membersOf(metadata['data'])['current_version']
    const found = await connection.call('GET', place.data, { query: { version } })
    const read = membersOf(found.body?.['data'])['data']
    if (found.status === 404 || read === null || read === undefined)
      throw new UserError(`${place.path} has no data in version ${version}: it does not exist or was deleted`)
    const { data } = membersOf(succeeded(found, `reading ${place.path}`)['data'])
    // Must not overwrite a version that was written meanwhile.
    const answer = await connection.call('PUT', place.data, { body: { data, options: { cas: newest } } })
    print(flags.format, succeeded(answer, `writing ${place.path}`), { done: `wrote ${place.path}` })
  },
})
