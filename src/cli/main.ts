#!/usr/bin/env node
import { version } from '../version.ts'
import { Mistake } from './mistake.ts'

/** Every command, loaded only when it is asked for. */
const commands: Readonly<Record<string, () => Promise<(args: readonly string[]) => Promise<void>>>> = {
  serve: async () => (await import('./serve/serve.ts')).serveCommand,
  login: async () => (await import('./client/login.ts')).loginCommand,
  read: async () => (await import('./client/commands.ts')).readCommand,
  write: async () => (await import('./client/commands.ts')).writeCommand,
  list: async () => (await import('./client/commands.ts')).listCommand,
  delete: async () => (await import('./client/commands.ts')).deleteCommand,
}

const usage = `plinth ${version}

  plinth serve [flags]     serve the five services; plinth serve --help lists the flags

  plinth login -method=idp username=NAME    log in through the identity provider
  plinth read PATH                          read from the secrets service
  plinth write PATH key=value…              write (PATH - reads a JSON object from standard input)
  plinth list PATH                          list a directory
  plinth delete PATH                        delete

  Client commands take -address=, -namespace= and -format=json, and read SECRETS_ADDR, SECRETS_TOKEN and
  SECRETS_NAMESPACE from the environment.

  plinth version           print the version
`

async function main([name, ...args]: readonly string[]): Promise<void> {
  if (name === undefined || name === 'help' || name === '--help') return void process.stdout.write(usage)
  if (name === 'version' || name === '--version') return void process.stdout.write(`${version}\n`)
  if (!Object.hasOwn(commands, name)) throw new Mistake(`there is no command "${name}"\n\n${usage}`, 2)
  const command = await commands[name]?.()
  await command?.(args)
}

main(process.argv.slice(2)).catch((error: unknown) => {
  if (error instanceof Mistake) {
    process.stderr.write(`plinth: ${error.message}\n`)
    process.exit(error.exitCode)
  }
  process.stderr.write(`plinth: unexpected error\n${error instanceof Error ? error.stack : String(error)}\n`)
  process.exit(70)
})
