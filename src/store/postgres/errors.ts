import { StoreError, type StoreErrorCode } from '../port/errors.ts'
import { isAnswer, sqlState } from './sql-state.ts'

type Explained = readonly [is: RegExp, code: StoreErrorCode, says: string]

const explained: readonly Explained[] = [
  [
    /^53100$|^ENOSPC$/,
    'disk_full',
    'the database has no space left: nothing was written; free some and try again',
  ],
  [
    /^(28|42501$)/,
    'denied',
    'the database refuses this user: check its password and its privileges on the schema',
  ],
  [/^3D000$/, 'unreachable', 'the database does not exist on that server: create it, or correct the address'],
  [/^25006$/, 'unreachable', 'the server is a standby and refuses writes: use the address of the primary'],
  [/^53300$/, 'unreachable', 'the server refuses more connections: try again, or raise its limit'],
  [/^57P03$/, 'unreachable', 'the server is starting or recovering: try again'],
  [
    /^(ECONNREFUSED|ENOTFOUND|EHOSTUNREACH|ENETUNREACH|EAI_AGAIN|ENOENT|CONNECT_TIMEOUT)$/,
    'unreachable',
    'the database server cannot be reached: check that it runs, and its address',
  ],
]

/** The server did nothing: it is safe to retry. */
export const isRolledBack = (error: unknown): boolean => /^(40001|40P01|55P03)$/.test(sqlState(error))

/** The server is stopping, crashed or starting. */
export const isRestarting = (error: unknown): boolean => /^57P0[123]$/.test(sqlState(error))

/** The server is unreachable, starting, or being replaced: nothing was done, and it may be back soon. */
export const isAway = (error: unknown): boolean =>
  /^(25006|53300|57P03|ECONNREFUSED|ENOTFOUND|EHOSTUNREACH|ENETUNREACH|EAI_AGAIN|ENOENT|CONNECT_TIMEOUT)$/.test(
    sqlState(error),
  )

/** The connection ended, or no answer came: the statement may have run. */
export function isAmbiguous(error: unknown): boolean {
  const state = sqlState(error)
  if (error instanceof StoreError || explained.some(([is]) => is.test(state))) return false
  if (/^(08|57P|58)/.test(state)) return true
  return !isAnswer(error)
}

/** An error without the client's attachments: the statement's parameters, which contain values. */
export const bare = (error: unknown): Error =>
  Object.assign(new Error(error instanceof Error ? error.message : String(error)), { code: sqlState(error) })

/** Describes an error of the database. */
export function explain(error: unknown, otherwise: StoreErrorCode): StoreError {
  if (error instanceof StoreError) return error
  const state = sqlState(error)
  const known = explained.find(([is]) => is.test(state))
  const text = error instanceof Error ? error.message : String(error)
  const otherwiseSays = isAnswer(error) ? 'the database answered' : 'the connection to the database failed'
  const [code, says] = known === undefined ? [otherwise, otherwiseSays] : [known[1], known[2]]
  return new StoreError(code, `${says} (${text || state})`, bare(error))
}
