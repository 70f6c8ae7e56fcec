import { backupFlags, backupFolder } from '../backup/flags.ts'
import { command } from '../command/declaration.ts'

export const backup = command({
  about: 'back up the data of a server, also while it runs',
  description: `Saves the data of a server, also while it runs, in a new folder: a file for each service, the uploads, and the
keys of dev mode, which unseal the secrets in it. With --verify it reads them back before the folder appears.`,
  flags: backupFlags,
  words: [backupFolder],
  examples: [
    { run: 'plinth backup --data ./data ./saved', about: 'save a directory' },
    { run: 'plinth backup --verify ./saved', about: 'verify an earlier backup' },
  ],
  run: async ({ flags, words }) => (await import('../backup/backup.ts')).backupCommand(flags, words[0]),
})
