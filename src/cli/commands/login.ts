import { secretsEnvironment, secretsFlags } from '../client/flags.ts'
import { loginCommand } from '../client/login.ts'
import { command } from '../command/declaration.ts'

export const login = command({
  about: 'log in to the secrets service',
  description: `Logs in through the identity provider, with a user name and a password, or with a role ID and a secret ID,
and prints a token. It shows the number to press in an authenticator while the login waits; a password or secret ID that
is missing is prompted for.`,
  flags: {
    method: { type: 'string', value: 'NAME', about: 'the auth method: idp, userpass or approle (idp)' },
    path: { type: 'string', value: 'MOUNT', about: 'the mount path of the method (its type)' },
    'token-only': { type: 'boolean', about: 'print only the token' },
    ...secretsFlags,
  },
  words: [
    {
      name: 'NAME=VALUE',
      about:
        'username=NAME, and if needed password=… totp=CODE provider=NAME; role_id=… secret_id=… for approle',
      optional: true,
      rest: true,
    },
  ],
  examples: [
    {
      run: 'SECRETS_TOKEN=$(plinth login -method=idp -token-only username=ada password=hunter2)',
      about: 'log in from a script',
    },
    { run: 'plinth login -method=userpass username=ada', about: 'be asked for the password' },
    { run: 'plinth login -method=approle role_id=… secret_id=…', about: 'log a machine in' },
  ],
  environment: secretsEnvironment,
  run: async ({ flags, words }) => loginCommand(flags, words),
})
