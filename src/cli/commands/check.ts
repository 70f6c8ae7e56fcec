import { checkFlags } from '../check/flags.ts'
import { command } from '../command/declaration.ts'

export const check = command({
  about: 'look for damage in what a server keeps',
  description: `Reads everything that a server keeps in a directory or a SQLite file, also while it runs: each value and
each remembered commit against its checksum, and the parts against one another. Nothing is changed.`,
  flags: checkFlags,
  words: [],
  examples: [{ run: 'plinth check --data ./data', about: 'check a directory' }],
  exits: { 1: 'something is damaged: it is named on standard output' },
  run: async ({ flags }) => (await import('../check/check.ts')).checkCommand(flags),
})
