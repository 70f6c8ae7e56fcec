import type { ModuleAddress } from '../modules/names.ts'
import { foldName } from '../modules/names.ts'

/**
 * A module as lists and searches show it: its latest version and its downloads so far.
 */
export interface ModuleRow extends ModuleAddress {
  /** The module's identity. */
  readonly id: string
  /** The maintainer. */
  readonly owner: string
  /** What it makes. */
  readonly description: string
  /** Where people read its code. */
  readonly source: string
  /** Words to find it by; absent if there are none. */
  readonly labels?: readonly string[] | undefined
  /** Whether it is a partner module. */
  readonly verified: boolean
  /** The canonical number of the latest version. */
  readonly version: string
  /** When that version was published, in microseconds since the Unix epoch. */
  readonly publishedMicros: number
  /** How often it was downloaded, ever. */
  readonly downloads: number
}

/** The sort key of lists: namespace, name and provider, case-insensitive; U+0001 sorts before every letter. */
export const rowKey = ({ namespace, name, provider }: ModuleAddress): string =>
  foldName(`${namespace}\u0001${name}\u0001${provider}`)

/**
 * Part of a longer list.
 */
export interface Excerpt<Row> {
  /** This part. */
  readonly rows: readonly Row[]
  /** How long the whole list is. */
  readonly total: number
}
