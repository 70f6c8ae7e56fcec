import { connect, succeeded } from '../client/connection.ts'
import { fieldFlag, secretsEnvironment, secretsFlags } from '../client/flags.ts'
import { print } from '../client/print.ts'
import { command, type Group } from '../command/declaration.ts'
import { UserError } from '../user-error.ts'

const countOf = (flag: string, text: string): number => {
  if (!/^[1-9]\d*$/.test(text)) throw new UserError(`-${flag} takes a number from 1, not "${text}"`, 2)
  return Number(text)
}

const init = command({
  about: 'initialise the secrets service, and print its keys and root token once',
  flags: {
    'key-shares': { type: 'string', value: 'N', about: 'how many key shares are made (5)' },
    'key-threshold': { type: 'string', value: 'N', about: 'how many of them are needed to unseal (3)' },
    ...fieldFlag,
    ...secretsFlags,
  },
  words: [],
  examples: [
    {
      run: 'plinth operator init -key-shares=1 -key-threshold=1 -address=$SEALED -format=json > keys.json',
      about: 'keep the keys where only you can read them',
    },
  ],
  environment: secretsEnvironment,
  run: async ({ flags }) => {
    const body = {
      secret_shares: countOf('key-shares', flags['key-shares'] ?? '5'),
      secret_threshold: countOf('key-threshold', flags['key-threshold'] ?? '3'),
    }
    const answer = succeeded(await connect(flags).call('PUT', 'sys/init', { body }), 'initialising')
    print(flags.format, answer, { field: flags.field })
  },
})

const unseal = command({
  about: 'submit a key share; the last one needed unseals the service',
  flags: secretsFlags,
  words: [
    {
      name: 'KEY',
      about: 'a key share; by default, and for -, from a prompt or standard input',
      optional: true,
    },
  ],
  examples: [
    {
      run: `node -p 'require("./keys.json").keys_base64[0]' | plinth operator unseal -address=$SEALED -`,
      about: 'without showing the key in the process list',
    },
  ],
  environment: secretsEnvironment,
  run: async ({ flags, words: [word = '-'] }) => {
    const { askSecret } = await import('../client/ask-secret.ts')
    const key = word === '-' ? (await askSecret('Key share')).trim() : word
    const answer = await connect(flags).call('PUT', 'sys/unseal', { body: { key } })
    print(flags.format, succeeded(answer, 'unsealing'))
  },
})

const seal = command({
  about: 'seal the secrets service: it refuses requests until it is unsealed',
  flags: secretsFlags,
  words: [],
  examples: [
    {
      run: `SECRETS_TOKEN=$(node -p 'require("./keys.json").root_token') plinth operator seal -address=$SEALED`,
      about: 'with a token that has access to sys/seal',
    },
  ],
  environment: secretsEnvironment,
  run: async ({ flags }) => {
    const answer = await connect(flags).call('PUT', 'sys/seal', { body: {} })
    print(flags.format, succeeded(answer, 'sealing'), { done: 'sealed' })
  },
})

export const operator = {
  about: 'initialise, unseal and seal the secrets service',
  commands: { init, unseal, seal },
} as const satisfies Group
