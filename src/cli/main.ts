#!/usr/bin/env node
import { nearest } from '../kernel/nearest.ts'
import { version } from '../version.ts'
import { type ClientCommand, clientHelp, isClientCommand } from './client/usages.ts'
import { UserError } from './user-error.ts'

type Command = (args: readonly string[]) => Promise<void>

/** Every command, loaded only when it is asked for. */
const commands: Readonly<Record<'serve' | 'backup' | 'restore' | ClientCommand, () => Promise<Command>>> = {
  serve: async () => (await import('./serve/serve.ts')).serveCommand,
  backup: async () => (await import('./backup/backup.ts')).backupCommand,
  restore: async () => (await import('./backup/restore.ts')).restoreCommand,
  login: async () => (await import('./client/login.ts')).loginCommand,
  kv: async () => (await import('./client/kv.ts')).kvCommand,
  read: async () => (await import('./client/commands.ts')).readCommand,
  write: async () => (await import('./client/commands.ts')).writeCommand,
  list: async () => (await import('./client/commands.ts')).listCommand,
  delete: async () => (await import('./client/commands.ts')).deleteCommand,
}

const isCommand = (name: string): name is keyof typeof commands => Object.hasOwn(commands, name)

const help = (): string => `plinth ${version}

  plinth serve [flags]                      serve the five services; plinth serve --help lists the flags
  plinth backup --data WHERE FOLDER         save what a server keeps, also while it runs
  plinth restore --data WHERE FOLDER        fill new data with a backup
  plinth version                            print the version

${clientHelp(['login', 'kv', 'read', 'write', 'list', 'delete'])}`

const asksForHelp = (argument: string): boolean => ['help', '--help', '-help', '-h'].includes(argument)

async function main([name = 'help', ...args]: readonly string[]): Promise<void> {
  if (asksForHelp(name)) {
    const [topic = name] = args
    return asksForHelp(topic) ? void process.stdout.write(help()) : main([topic, '--help'])
  }
  if (['version', '--version', '-v'].includes(name)) return void process.stdout.write(`${version}\n`)
  if (!isCommand(name)) {
    const meant = nearest(name, [...Object.keys(commands), 'version', 'help'])
    const hint = meant === undefined ? '.' : `; did you mean ${meant}?`
    throw new UserError(`there is no command "${name}"${hint} See plinth --help.`, 2)
  }
  // A word called help may be a path; what begins with a dash is an option.
  if (isClientCommand(name) && args.some((argument) => argument.startsWith('-') && asksForHelp(argument)))
    return void process.stdout.write(clientHelp([name]))
  const command = await commands[name]()
  await command(args)
}

/** Whoever reads may leave before the end (`plinth list PATH | head -1`): that is no reason to fall over. */
for (const stream of [process.stdout, process.stderr])
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
  })

main(process.argv.slice(2)).catch((error: unknown) => {
  if (error instanceof UserError) {
    process.stderr.write(`plinth: ${error.message}\n`)
    process.exit(error.exitCode)
  }
  process.stderr.write(`plinth: unexpected error\n${error instanceof Error ? error.stack : String(error)}\n`)
  process.exit(70)
})
