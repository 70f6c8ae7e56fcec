import { secretsEnvironment, secretsFlags } from '../client/flags.ts'
import { command } from '../command/declaration.ts'

export const login = command({
  about: 'sign in to the secrets service',
  description: `Signs in through the identity provider, with a user name and a password, a role ID and a secret ID, or a
token of an OpenID Connect provider, and prints a token. It shows the number to press in an authenticator while the login
waits; a password, secret ID or token that is missing is prompted for. With oidc it prints the address of the provider,
opens it in a browser, and waits on port 8250 for the browser to come back.`,
  flags: {
    method: {
      type: 'string',
      value: 'NAME',
      about: 'the auth method: idp, userpass, approle, jwt or oidc (idp)',
    },
    path: { type: 'string', value: 'MOUNT', about: 'the mount path of the method (its type)' },
    'token-only': { type: 'boolean', about: 'print only the token' },
    ...secretsFlags,
  },
  words: [
    {
      name: 'NAME=VALUE',
      about:
        'username=NAME, and if needed password=… totp=CODE provider=NAME; role_id=… secret_id=… for approle; role=… jwt=… for jwt; role=… port=… skip_browser=true for oidc; =@FILE reads a secret from a file, =- from standard input',
      optional: true,
      rest: true,
    },
  ],
  examples: [
    {
      run: 'SECRETS_TOKEN=$(plinth login -method=idp -token-only username=ada password=@password.txt)',
      about: 'sign in from a script',
    },
    { run: 'plinth login -method=userpass username=ada', about: 'be asked for the password' },
    { run: 'plinth login -method=approle role_id=… secret_id=…', about: 'log a machine in' },
    {
      run: 'plinth login -method=jwt role=deploy jwt=@token.jwt',
      about: 'log a CI job in with its OIDC token',
    },
    { run: 'plinth login -method=oidc role=developers', about: 'sign in with a browser' },
  ],
  environment: secretsEnvironment,
  run: async ({ flags, words }) => (await import('../client/login.ts')).loginCommand(flags, words),
})
