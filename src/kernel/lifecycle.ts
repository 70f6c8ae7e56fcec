/**
 * A lifecycle as a readable table: from → verb → to. A transition that is not in the table is illegal.
 */
export type Lifecycle<Status extends string = string, Verb extends string = string> = {
  readonly [From in Status]: { readonly [V in Verb]?: Status }
}

/** The verbs that a table allows from one status. */
export type VerbFrom<Table, From extends keyof Table> = keyof Table[From] & string

/** Every verb that appears anywhere in a table. */
export type VerbOf<Table> = { [From in keyof Table]: keyof Table[From] }[keyof Table] & string

/**
 * Declares a lifecycle table. Every status a verb leads to must itself be a row of the table.
 *
 * @example
 * ```ts
 * import { lifecycle, move } from 'plinth'
 *
 * const version = lifecycle({
 *   unreleased: { release: 'active' },
 *   active: { revoke: 'revoked' },
 *   revoked: {},
 * })
 * move(version, 'unreleased', 'release') // 'active'
 * ```
 */
export const lifecycle = <
  const Table extends { readonly [From in keyof Table]: { readonly [verb: string]: keyof Table & string } },
>(
  table: Table,
): Table => table

/**
 * The status a verb leads to, where both are known while compiling: an illegal move is a compile error.
 *
 * @example
 * ```ts
 * import { lifecycle, move } from 'plinth'
 *
 * const gate = lifecycle({ open: { close: 'shut' }, shut: { open: 'open' } })
 * move(gate, 'open', 'close') // 'shut'
 * // move(gate, 'open', 'open') does not compile
 * ```
 */
export const move = <Table, From extends keyof Table, Verb extends VerbFrom<Table, From>>(
  table: Table,
  from: From,
  verb: Verb,
): Table[From][Verb] => table[from][verb]

/**
 * Returns the status a verb leads to, for a status known only at run time; `undefined` if the table has no such
 * transition.
 *
 * @example
 * ```ts
 * import { lifecycle, nextStatus } from 'plinth'
 *
 * const drain = lifecycle({ eligible: { drain: 'draining' }, draining: { finish: 'drained' }, drained: {} })
 * nextStatus(drain, 'drained', 'drain') // undefined
 * ```
 */
export const nextStatus = <Table, From extends keyof Table>(
  table: Table,
  from: From,
  verb: VerbOf<Table>,
): (keyof Table & string) | undefined => {
  // Both are data, and may be names that every object inherits.
  const row: Row<Table> = Object.hasOwn(table as object, from) ? (table[from] as Row<Table>) : {}
  return Object.hasOwn(row, verb) ? row[verb] : undefined
}

type Row<Table> = { readonly [Verb in VerbOf<Table>]?: keyof Table & string }
