import { closeSync, openSync } from 'node:fs'

/**
 * Whether the process has no file descriptor left. The host then says of a package that it cannot be found, since it
 * cannot open what describes it.
 */
export function lacksDescriptors(): boolean {
  try {
    closeSync(openSync(process.execPath, 'r'))
    return false
  } catch (error) {
    return error instanceof Error && 'code' in error && (error.code === 'EMFILE' || error.code === 'ENFILE')
  }
}

/** What to do about it. */
export const descriptorAdvice = 'too many files are open: raise the limit of the process (ulimit -n)'
