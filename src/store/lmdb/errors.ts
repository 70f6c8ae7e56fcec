import { descriptorAdvice } from '../files/descriptors.ts'
import { StoreError, type StoreErrorCode } from '../port/errors.ts'

interface Explained {
  readonly is: RegExp
  readonly code: StoreErrorCode
  readonly says: (path: string) => string
}

/** Errors of the engine and the system, and their meaning for the operator. */
const explained: readonly Explained[] = [
  {
    is: /ENOSPC|EDQUOT|No space left|MDB_MAP_FULL/i,
    code: 'disk_full',
    says: (path) => `no space is left for ${path}: nothing was written; free some and try again`,
  },
  {
    is: /EMFILE|ENFILE|Too many open files/i,
    code: 'locked',
    says: (path) => `${path} cannot be opened: ${descriptorAdvice}`,
  },
  {
    is: /EACCES|EPERM|EROFS|Permission denied|Read-only file system|Operation not permitted/i,
    code: 'denied',
    says: (path) => `${path} cannot be written: check the owner and mode of the directory`,
  },
  {
    is: /ENOTDIR|EEXIST|EISDIR|Not a directory|Is a directory/i,
    code: 'denied',
    says: (path) => `${path} cannot be a store: its directory is a file, or it is a directory itself`,
  },
  {
    is: /ENOENT/,
    code: 'denied',
    says: (path) => `${path} cannot be a store: its directory cannot be created there`,
  },
  {
    is: /MDB_INVALID|not an LMDB file/i,
    code: 'foreign',
    says: (path) => `${path} is not a store: it is another kind of file, or its header is damaged`,
  },
  {
    is: /MDB_VERSION_MISMATCH|version (mismatch|doesn't match)/i,
    code: 'wrong_schema',
    says: (path) => `${path} was written by another version of LMDB: use that version to make a backup`,
  },
  {
    is: /MDB_CORRUPTED|MDB_PAGE_NOTFOUND|MDB_PANIC|corrupted|page not found/i,
    code: 'corrupt',
    says: (path) => `${path} is damaged: restore a backup`,
  },
  {
    is: /MDB_READERS_FULL|EAGAIN|EBUSY|ETXTBSY|temporarily unavailable/i,
    code: 'locked',
    says: (path) => `${path} is locked by other processes: stop some of them and try again`,
  },
]

/**
 * Why a commit failed. The engine rejects a second promise with it a little later; unhandled, that would end the
 * process.
 */
export async function causeOf(error: unknown): Promise<unknown> {
  if (!(error instanceof Error && 'commitError' in error && error.commitError instanceof Promise))
    return error
  return error.commitError.catch((cause: unknown) => cause)
}

/** Whether the engine threw the error, and not the caller's function. */
export const isOfEngine = (error: unknown): boolean =>
  error instanceof Error &&
  'code' in error &&
  typeof error.code === 'number' &&
  error.message.startsWith('MDB_')

/** Describes an error of the engine. */
export function explain(error: unknown, path: string, otherwise: StoreErrorCode): StoreError {
  if (error instanceof StoreError) return error
  const text =
    error instanceof Error ? `${'code' in error ? String(error.code) : ''} ${error.message}` : String(error)
  const known = explained.find(({ is }) => is.test(text))
  if (known !== undefined) return new StoreError(known.code, known.says(path), error)
  return new StoreError(otherwise, `${path}: ${text.trim()}`, error)
}
