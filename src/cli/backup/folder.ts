import { join } from 'node:path'
import { type Flags, flagRows, readFlags } from '../read-flags.ts'
import type { DataFlags } from '../serve/data.ts'
import { UserError } from '../user-error.ts'

/** The realms of a server's data, each of which is a file of a backup. */
export const realms = ['secrets', 'scheduler', 'catalog', 'registry'] as const

/** Where things are in a backup. */
export const placesIn = (folder: string) => ({
  realm: (name: string) => join(folder, `${name}.jsonl.gz`),
  blobs: join(folder, 'blobs'),
  devKeys: join(folder, 'dev-keys.json'),
})

const backupFlags = {
  data: { type: 'string', value: 'WHERE', about: 'the data of a server: a directory, or postgres://…' },
  blobs: { type: 'string', value: 'DIRECTORY', about: 'where its uploads are, if the server has that flag' },
  'dev-keys': { type: 'string', value: 'FILE', about: 'where its keys are, if the server has that flag' },
  help: { type: 'boolean', short: 'h', about: 'show this' },
} as const satisfies Flags

/** A command line of `plinth backup` or `plinth restore`; `undefined` where it asks for help. */
export function readBackupArguments(
  command: 'backup' | 'restore',
  args: readonly string[],
): { readonly flags: DataFlags & { readonly data: string }; readonly folder: string } | undefined {
  const { values, positionals } = readFlags(`plinth ${command}`, backupFlags, args, { words: true })
  if (values.help === true) return undefined
  const [folder, ...more] = positionals
  const { data } = values
  if (folder === undefined || folder === '' || more.length > 0 || data === undefined)
    throw new UserError(`usage: ${usage(command)}`, 2)
  if (data === 'memory')
    throw new UserError('--data memory keeps nothing: name a directory or postgres://…', 2)
  return { flags: { data, blobs: values.blobs, devKeys: values['dev-keys'] }, folder }
}

const usage = (command: string): string => `plinth ${command} --data WHERE FOLDER`

/** The help text of one of the two. */
export const backupHelp = (command: 'backup' | 'restore', about: string): string =>
  `${usage(command)}\n\n${about}\n\n${flagRows(backupFlags)}\n`
