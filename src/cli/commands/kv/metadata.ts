import { succeeded } from '../../client/connection.ts'
import { secretsEnvironment } from '../../client/flags.ts'
import { mustBeVersioned, openSecret } from '../../client/place.ts'
import { print } from '../../client/print.ts'
import { command, type Group } from '../../command/declaration.ts'
import { UserError } from '../../user-error.ts'
import { kvFlags, secretWord } from './flags.ts'

const get = command({
  about: 'read the settings and versions of a secret',
  flags: kvFlags,
  words: [secretWord],
  examples: [{ run: 'plinth kv metadata get secret/app', about: 'its versions, also the deleted ones' }],
  environment: secretsEnvironment,
  run: async ({ flags, words: [word] }) => {
    const { connection, place } = await openSecret(flags, word)
    mustBeVersioned(place, 'metadata')
    print(flags.format, succeeded(await connection.call('GET', place.metadata), `reading ${place.path}`))
  },
})

const put = command({
  about: 'change the settings of a secret',
  flags: {
    'max-versions': { type: 'string', value: 'N', about: 'how many versions are kept' },
    'cas-required': {
      type: 'string',
      value: 'BOOL',
      about: 'whether writes need -cas',
      choices: ['true', 'false'],
    },
    'delete-version-after': {
      type: 'string',
      value: 'DURATION',
      about: 'delete versions of this age, such as 72h',
    },
    'custom-metadata': {
      type: 'string',
      value: 'NAME=VALUE',
      about: 'a note on the secret (repeatable)',
      multiple: true,
    },
    ...kvFlags,
  },
  words: [secretWord],
  examples: [
    {
      run: 'plinth kv metadata put -max-versions=5 -custom-metadata=owner=ada secret/app',
      about: 'two settings',
    },
  ],
  environment: secretsEnvironment,
  run: async ({ flags, words: [word] }) => {
    const body: Record<string, unknown> = {}
    const most = flags['max-versions']
    if (most !== undefined && !/^\d+$/.test(most))
      throw new UserError(`-max-versions takes a number, not "${most}"`, 2)
    if (most !== undefined) body['max_versions'] = Number(most)
    if (flags['cas-required'] !== undefined) body['cas_required'] = flags['cas-required'] === 'true'
    if (flags['delete-version-after'] !== undefined)
      body['delete_version_after'] = flags['delete-version-after']
    if (flags['custom-metadata'].length > 0) {
      const notes: Record<string, string> = Object.create(null)
      for (const note of flags['custom-metadata']) {
        const at = note.indexOf('=')
        if (at < 1) throw new UserError(`-custom-metadata takes NAME=VALUE, not "${note}"`, 2)
        notes[note.slice(0, at)] = note.slice(at + 1)
      }
      body['custom_metadata'] = notes
    }
    const { connection, place } = await openSecret(flags, word)
    mustBeVersioned(place, 'metadata')
    const answer = await connection.call('PUT', place.metadata, { body })
    print(flags.format, succeeded(answer, `writing ${place.path}`), {
      done: `wrote the metadata of ${place.path}`,
    })
  },
})

const remove = command({
  about: 'delete a secret with all its versions for good',
  flags: kvFlags,
  words: [secretWord],
  examples: [{ run: 'plinth kv metadata delete secret/old', about: 'it cannot be restored' }],
  environment: secretsEnvironment,
  run: async ({ flags, words: [word] }) => {
    const { connection, place } = await openSecret(flags, word)
    mustBeVersioned(place, 'metadata')
    print(
      flags.format,
      succeeded(await connection.call('DELETE', place.metadata), `deleting ${place.path}`),
      {
        done: `deleted ${place.path} with all its versions`,
      },
    )
  },
})

export const kvMetadata = {
  about: 'settings and versions of a secret',
  commands: { get, put, delete: remove },
} as const satisfies Group
