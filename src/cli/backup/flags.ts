import type { Flags, FlagValues, Word } from '../command/declaration.ts'
import type { DataFlags } from '../serve/data.ts'
import { durablePlaces } from '../serve/places.ts'
import { UserError } from '../user-error.ts'

const data = {
  type: 'string',
  value: 'WHERE',
  about: 'the data of a server: a directory, sqlite:FILE, postgres://…, or etcd://…',
} as const

const others = {
  blobs: {
    type: 'string',
    value: 'WHERE',
    about:
      'the --blobs flag of the server (blobs in the data directory, FILE-blobs beside a SQLite file; for postgres://… and etcd://…, where the last server kept them)',
  },
  'dev-keys': { type: 'string', value: 'FILE', about: 'the --dev-keys flag of the server, if it has one' },
  json: { type: 'boolean', about: 'print one line of JSON at the end and no other output' },
} as const satisfies Flags

export const restoreFlags = { data: { ...data, required: true }, ...others } as const satisfies Flags

export const backupFlags = {
  data,
  ...others,
  verify: {
    type: 'boolean',
    about:
      'read the backup back, and verify its checksums and uploads; without --data, those of an earlier backup',
  },
} as const satisfies Flags

export const backupFolder = { name: 'FOLDER', about: 'the folder of the backup' } as const satisfies Word

/** Where the data is, checked. */
export function dataOf(flags: FlagValues<typeof restoreFlags>): DataFlags & { readonly data: string } {
  const { data: where, blobs, 'dev-keys': devKeys } = flags
  if (where === 'memory') throw new UserError(`--data memory stores nothing: name ${durablePlaces}`, 2)
  return { data: where, blobs, devKeys }
}
