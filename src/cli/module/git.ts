import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { UserError } from '../user-error.ts'

/** Runs git, which asks for no password; returns its output. */
export async function git(
  args: readonly string[],
  {
    env = {},
    signal,
  }: { readonly env?: Readonly<Record<string, string>>; readonly signal?: AbortSignal } = {},
): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)('git', args, {
      env: { ...process.env, GIT_TERMINAL_PROMPT: '0', ...env },
      maxBuffer: 64 * 1024 * 1024,
      ...(signal ? { signal } : {}),
    })
    return stdout
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT')
      throw new UserError('git is not installed: it reads the tags and sources of repositories')
    const said = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : String(error)
    throw new UserError(
      `git ${args.find((arg) => /^[a-z]+-?[a-z]+$/.test(arg)) ?? ''}: ${said.split('\n').at(-1)}`,
    )
  }
}
