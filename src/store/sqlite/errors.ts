import { StoreError, type StoreErrorCode } from '../port/errors.ts'

/** The engine's primary result codes that are meaningful for callers. */
const codes: Readonly<Record<number, readonly [StoreErrorCode, says: (path: string) => string]>> = {
  3: ['denied', (path) => `${path} cannot be opened: check the owner and mode of the file`],
  5: ['locked', (path) => `${path} is locked by another process: stop it, or try again`],
  6: ['locked', (path) => `${path} is locked by another connection: try again`],
  8: [
    'denied',
    (path) => `${path} cannot be written: check the owner and mode of the file and its directory`,
  ],
  11: ['corrupt', (path) => `${path} is damaged: restore a backup`],
  13: ['disk_full', (path) => `no space is left for ${path}: nothing was written; free some and try again`],
  14: [
    'denied',
    (path) => `${path} cannot be opened: check its directory, and that the path is not a directory`,
  ],
  26: ['foreign', (path) => `${path} is not a SQLite database: it is another kind of file`],
}

const numbers: Readonly<Record<string, number>> = {
  SQLITE_PERM: 3,
  SQLITE_BUSY: 5,
  SQLITE_LOCKED: 6,
  SQLITE_READONLY: 8,
  SQLITE_IOERR: 10,
  SQLITE_CORRUPT: 11,
  SQLITE_FULL: 13,
  SQLITE_CANTOPEN: 14,
  SQLITE_NOTADB: 26,
}

/** The engine's primary result code; `undefined` for other errors. */
export function resultCode(error: unknown): number | undefined {
  if (!(error instanceof Error)) return undefined
  // node:sqlite has the number; the packages have a name, of which extended codes are longer forms.
  if ('errcode' in error && typeof error.errcode === 'number') return error.errcode & 0xff
  // libsql has no code for a file that it cannot open, but the number at the end of its message.
  const [, failed] = /^ConnectionFailed\(.*: (\d+)"\)$/s.exec(error.message) ?? []
  if (failed !== undefined) return Number(failed) & 0xff
  if (!('code' in error) || typeof error.code !== 'string') return undefined
  const [, name = ''] = /^(SQLITE_[A-Z]+)/.exec(error.code) ?? []
  return name === '' ? undefined : (numbers[name] ?? 1)
}

export const isBusy = (error: unknown): boolean => [5, 6].includes(resultCode(error) ?? 0)

/** Describes an error of the engine; errors of callers stay unchanged. */
export function explain(error: unknown, path: string, otherwise: StoreErrorCode): unknown {
  if (error instanceof StoreError) return error
  const code = resultCode(error)
  if (code === undefined) return error
  const known = codes[code]
  if (known) return new StoreError(known[0], known[1](path), error)
  return new StoreError(otherwise, `${path}: ${error instanceof Error ? error.message : ''}`, error)
}
