import { backupFolder, restoreFlags } from '../backup/flags.ts'
import { command } from '../command/declaration.ts'

export const restore = command({
  about: 'restore a backup into new data',
  description: `Restores a folder of plinth backup into new data, of the same kind or of another: this is how to move a
directory to PostgreSQL, or to a later version that keeps it in another form. Stop the old server first: the backup lacks its later writes.
The whole backup is verified before anything is written.`,
  flags: restoreFlags,
  words: [backupFolder],
  examples: [{ run: 'plinth restore --data ./other ./saved', about: 'fill a new directory' }],
  run: async ({ flags, words }) => (await import('../backup/restore.ts')).restoreCommand(flags, words[0]),
})
