import { UserError } from '../user-error.ts'

/** How each client command is called and what it does: help shows it, and mistakes repeat it. */
export const usages = {
  login: [
    'plinth login -method=idp [-path=idp] username=NAME [password=…] [totp=CODE] [provider=NAME] [-token-only]',
    'log in through the identity provider',
  ],
  kv: [
    'plinth kv get|put|list|delete PATH [name=value…] [-version=N] [-field=NAME] [-cas=N]',
    'secrets by their own path, as in secret/app, whichever version their mount has',
  ],
  read: ['plinth read PATH [name=value…]', 'read from the secrets service; pairs go into the query'],
  write: ['plinth write PATH name=value…', 'write (PATH - reads a JSON object from standard input)'],
  list: ['plinth list PATH', 'list a directory'],
  delete: ['plinth delete PATH', 'delete'],
} as const satisfies Readonly<Record<string, readonly [usage: string, about: string]>>

export type ClientCommand = keyof typeof usages

export const isClientCommand = (name: string): name is ClientCommand => Object.hasOwn(usages, name)

/** The help of some client commands. */
export const clientHelp = (names: readonly ClientCommand[]): string => {
  const rows = names.map((name) => {
    const [usage, about] = usages[name]
    return usage.length > 40 ? `  ${usage}\n${' '.repeat(44)}${about}` : `  ${usage.padEnd(40)}  ${about}`
  })
  return `${rows.join('\n')}

  Client commands take -address=, -namespace= and -format=json, and read SECRETS_ADDR, SECRETS_TOKEN and
  SECRETS_NAMESPACE from the environment.
`
}

/** A command line that a client command cannot do anything with. */
export const misused = (name: ClientCommand): UserError => new UserError(`usage: ${usages[name][0]}`, 2)
