import { closeSync, openSync } from 'node:fs'

/**
 * Whether the process is out of file descriptors. The host then reports that a package cannot be found, because it
 * cannot open its manifest.
 */
export function lacksDescriptors(): boolean {
  try {
    closeSync(openSync(process.execPath, 'r'))
    return false
  } catch (error) {
    return error instanceof Error && 'code' in error && (error.code === 'EMFILE' || error.code === 'ENFILE')
  }
}

/** The remedy. */
export const descriptorAdvice = 'too many files are open: raise the limit of the process (ulimit -n)'
