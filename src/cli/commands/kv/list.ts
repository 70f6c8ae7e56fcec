import { succeeded } from '../../client/connection.ts'
import { secretsEnvironment } from '../../client/flags.ts'
import { openSecret } from '../../client/place.ts'
import { printKeys } from '../../client/print.ts'
import { command } from '../../command/declaration.ts'
import { kvFlags, secretWord } from './flags.ts'

export const kvList = command({
  about: 'list the secrets below a path',
  flags: kvFlags,
  words: [secretWord],
  examples: [
    { run: 'plinth kv list secret', about: 'the names in a mount; those that end in / are folders' },
  ],
  environment: secretsEnvironment,
  run: async ({ flags, words: [word] }) => {
    const { connection, place } = await openSecret(flags, word)
    const answer = await connection.call('GET', place.metadata, { query: { list: 'true' } })
    printKeys(flags.format, succeeded(answer, `listing ${place.path}`))
  },
})
