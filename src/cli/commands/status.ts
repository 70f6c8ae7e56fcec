import { connect, succeeded } from '../client/connection.ts'
import { secretsEnvironment, secretsFlags } from '../client/flags.ts'
import { print } from '../client/print.ts'
import { command } from '../command/declaration.ts'

export const status = command({
  about: 'show whether the secrets service is initialised and unsealed',
  flags: secretsFlags,
  words: [],
  examples: [{ run: 'plinth status', about: 'as text, or for scripts by the exit code' }],
  exits: {
    0: 'it is unsealed',
    1: 'the service cannot be reached; standard error says why',
    2: 'it is sealed, or the command line is wrong',
  },
  environment: secretsEnvironment,
  run: async ({ flags }) => {
    const body = succeeded(await connect(flags).call('GET', 'sys/seal-status'), 'asking for the status')
    print(flags.format, body)
    return body['sealed'] === true ? 2 : 0
  },
})
