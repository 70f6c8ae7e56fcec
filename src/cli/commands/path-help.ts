import { connect, succeeded } from '../client/connection.ts'
import { secretsEnvironment, secretsFlags } from '../client/flags.ts'
import { pathWord, plainPath } from '../client/paths.ts'
import { printData } from '../client/print.ts'
import { command } from '../command/declaration.ts'

export const pathHelp = command({
  about: 'explain a path of the secrets service, and the paths below it',
  flags: secretsFlags,
  words: [pathWord],
  examples: [
    { run: 'plinth path-help auth/token', about: 'the paths of a mount' },
    { run: 'plinth path-help secret/data/app', about: 'the operations and parameters of a path' },
  ],
  environment: secretsEnvironment,
  run: async ({ flags, words: [word] }) => {
    const path = plainPath(word)
    const answer = await connect(flags).call('GET', path, { query: { help: '1' } })
    const body = succeeded(answer, `reading the help of ${path}`)
    if (!printData(flags.format, body)) process.stdout.write(String(body['help'] ?? ''))
  },
})
