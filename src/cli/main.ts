#!/usr/bin/env node
import { version } from '../version.ts'
import { whyNot } from './file-text.ts'
import { watchOutput } from './output.ts'
import { UserError } from './user-error.ts'

const versionWords: readonly (string | undefined)[] = ['version', '--version', '-version', '-v']

async function main(args: readonly string[]): Promise<number> {
  const [first] = args
  if (versionWords.includes(first)) {
    process.stdout.write(`${version}\n`)
    return 0
  }
  // Loaded only now, so that the version costs next to nothing.
  const [{ runCommandLine }, { plinth }] = await Promise.all([
    import('./command/run.ts'),
    import('./commands/index.ts'),
  ])
  return runCommandLine(plinth, args)
}

/** Errors of the operating system: a file, a socket, a limit. */
const isSystemError = (error: unknown): error is NodeJS.ErrnoException =>
  error instanceof Error && 'syscall' in error && 'code' in error

watchOutput()
main(process.argv.slice(2)).then(
  (code) => {
    process.exitCode = code
  },
  (error: unknown) => {
    if (error instanceof UserError) {
      process.stderr.write(`plinth: ${error.message}\n`)
      process.exit(error.exitCode)
    }
    if (isSystemError(error)) {
      process.stderr.write(`plinth: ${error.path === undefined ? '' : `${error.path}: `}${whyNot(error)}\n`)
      process.exit(1)
    }
    process.stderr.write(
      `plinth: unexpected error\n${error instanceof Error ? error.stack : String(error)}\n`,
    )
    process.exit(70)
  },
)
