import { checkFlags } from '../check/flags.ts'
import { command } from '../command/declaration.ts'

export const check = command({
  about: 'check the data of a server for damage',
  description: `Reads all data of a server, also while it runs: each of its parts as it was at one moment. Of a directory or a
SQLite file it verifies the pages, the checksum of each value and each remembered commit, and the consistency of the parts.
PostgreSQL has checksums of its own, which pg_amcheck verifies. It changes nothing.`,
  flags: checkFlags,
  words: [],
  examples: [{ run: 'plinth check --data ./data', about: 'check a directory' }],
  exits: { 1: 'damage was found; standard output lists it' },
  run: async ({ flags }) => (await import('../check/check.ts')).checkCommand(flags),
})
