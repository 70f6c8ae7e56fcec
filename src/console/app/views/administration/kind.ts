import type { ServiceName } from '../../data/services.ts'

/** A row as the list of its kind answers it. */
export type Item = Readonly<Record<string, unknown>>

/** The request of an operation as a form: `{id}` in its path is the name of the object. */
export interface Form {
  readonly method: 'POST' | 'PUT'
  readonly path: string
  /** Fields of the request that are shown first; one with a dot is inside of another. */
  readonly fields: readonly string[]
  /** Whether the other fields of the request follow. */
  readonly isWhole?: boolean
  /** The field of the answer that is shown once: a token. */
  readonly shows?: string
}

/** A kind of objects that one view lists, creates, changes and deletes. */
export interface Kind {
  readonly service: ServiceName
  readonly slug: string
  readonly title: string
  readonly noun: string
  /** What they are for, for readers who have none yet. */
  readonly about: string
  /** What they belong to, as `{within}` in paths: the mounts of an auth method, the owners of boxes. */
  readonly within?: {
    readonly title: string
    readonly path: string
    readonly method?: string
    readonly alsoMethod?: string
    readonly of?: string
    readonly rows?: string
    /** Names of further objects in each of them, by their list: `{id}` in its path is the name of the first. */
    readonly inside?: string
  }
  readonly list: string
  /** Where the rows are in the answer; a list of keys, or an object of rows by key, gets the key as `id`. */
  readonly rows?: string
  /** Shows only rows of these types. */
  readonly types?: readonly string[]
  /** The field that names a row, and what it is called. */
  readonly id: string
  readonly idTitle?: string
  /** The fields that the list shows besides: each with its title. */
  readonly columns: Readonly<Record<string, string>>
  readonly create?: Form
  readonly change?: Form | 'as created'
  /** Where the values of a form come from, if not from the row. */
  readonly read?: string
  readonly remove?: {
    readonly verb: string
    readonly path: string
    readonly text: string
    /** Sends the name in this field of a POST. */
    readonly body?: string
    /** The types of rows that are never removed. */
    readonly except?: readonly string[]
  }
}

/** A kind in the table of its service. */
export type KindRow = Omit<Kind, 'service'>
