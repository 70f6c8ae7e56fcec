/** The pure engine of unversioned secrets. */
export { asFolder, childOf, listKeys } from './list-keys.ts'
export type { Entry, EntryEvent } from './model.ts'
export { leaseSecondsOf } from './read-entry.ts'
export { writeEntry } from './write-entry.ts'
