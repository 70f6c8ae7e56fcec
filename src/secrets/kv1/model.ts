/**
 * An unversioned secret: its fields as JSON text, so that digits beyond 2^53 survive.
 */
export interface Entry {
  readonly json: string
}

/** An event of an entry, for audit and metrics. */
export type EntryEvent = { readonly type: 'kv.written'; readonly version: 0 }
