import { readFile } from 'node:fs/promises'
import { UserError } from './user-error.ts'

/**
 * The text of a file that the command line or a configuration names.
 *
 * @param what - what the file contains, for the error if it cannot be read
 * @param where - the prefix of the error: where the file is named
 */
export async function fileText(path: string, what: string, where = ''): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    throw new UserError(`${where}cannot read ${what} ${path}: ${whyNot(error)}`)
  }
}

/** Describes what is wrong with a path. */
export function whyNot(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const code = 'code' in error ? String(error.code) : ''
  // The host's messages begin with an error code; the texts below replace the codes that have one.
  return (error.message.startsWith(code) ? reasons[code] : undefined) ?? error.message
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file or directory',
  EISDIR: 'it is a directory',
  ENOTDIR: 'a part of the path is not a directory',
  EEXIST: 'a part of the path is not a directory',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EMFILE: 'this process has no file descriptors left; raise the limit (ulimit -n)',
  ENFILE: 'the system has no file descriptors left',
  ENAMETOOLONG: 'the name is too long',
  EADDRINUSE: 'the address is in use',
  ENOTEMPTY: 'it already exists and is not empty',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
}
