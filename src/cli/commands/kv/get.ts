import { succeeded } from '../../client/connection.ts'
import { secretsEnvironment } from '../../client/flags.ts'
import { membersOf } from '../../client/members.ts'
import { mustBeVersioned, openSecret } from '../../client/place.ts'
import { print, printData, printField, printRows } from '../../client/print.ts'
import { command } from '../../command/declaration.ts'
import { UserError } from '../../user-error.ts'
import { kvFlags, secretWord } from './flags.ts'

export const kvGet = command({
  about: 'read a secret',
  flags: {
    field: { type: 'string', value: 'NAME', about: 'print only this field' },
    version: { type: 'string', value: 'N', about: 'read this version (the newest)' },
    ...kvFlags,
  },
  words: [secretWord],
  examples: [
    { run: 'plinth kv get secret/app', about: 'all fields' },
    { run: 'PGPASSWORD=$(plinth kv get -field=password secret/app)', about: 'one field, for a script' },
    { run: 'plinth kv get -mount=secret -version=1 app', about: 'an earlier version' },
  ],
  environment: secretsEnvironment,
  run: async ({ flags, words: [word] }) => {
    const { version, field } = flags
    const { connection, place } = await openSecret(flags, word)
    if (version !== undefined) mustBeVersioned(place, '-version')
    const answer = await connection.call('GET', place.data, {
      query: version === undefined ? {} : { version },
    })
    if (answer.status === 404 && place.versioned) refuseGone(membersOf(answer.body?.['data']), place.path)
    const body = succeeded(answer, `reading ${place.path}`)
    const data = membersOf(body['data'])
    const values = place.versioned ? membersOf(data['data']) : data
    if (field !== undefined) return printField(values, field, place.path)
    if (!place.versioned) return print(flags.format, body)
    if (!printData(flags.format, body)) printRows(Object.entries(values))
  },
})

/** A version without data is reported, too: that it existed, and what became of it. */
function refuseGone(data: Readonly<Record<string, unknown>>, path: string): void {
  const { version, deletion_time: since, destroyed } = membersOf(data['metadata'])
  if (destroyed === true) throw new UserError(`version ${version} of ${path} was destroyed`)
  if (since) throw new UserError(`version ${version} of ${path} was deleted at ${since}`)
}
