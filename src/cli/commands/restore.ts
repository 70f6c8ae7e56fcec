import { backupFlags, backupFolder } from '../backup/flags.ts'
import { command } from '../command/declaration.ts'

export const restore = command({
  about: 'fill new data with a backup',
  description: `Fills new data with what plinth backup saved in a folder, of the same kind or of the other: that is
how a directory moves to PostgreSQL. Stop the server that the backup is of first, or what it writes stays behind.`,
  flags: backupFlags,
  words: [backupFolder],
  examples: [{ run: 'plinth restore --data ./other ./saved', about: 'fill a new directory' }],
  run: async ({ flags, words }) => (await import('../backup/restore.ts')).restoreCommand(flags, words[0]),
})
