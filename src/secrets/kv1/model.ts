/**
 * An unversioned secret: its fields as JSON text, so that digits beyond 2^53 survive.
 *
 * @public
 */
export interface Entry {
  readonly json: string
}

/** What happened to an entry, for audit and metrics. @public */
export type EntryEvent = { readonly type: 'kv.written'; readonly version: 0 }
