import { mkdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'

/**
 * Creates a directory and its parents. The host's recursive mode never returns on a file system that refuses new
 * directories as "not found", as `/proc` does.
 *
 * @param mode - of the created directories; their owner's alone by default
 * @returns the topmost directory that had to be made, if any
 */
export async function makeDirectory(path: string, mode = 0o700): Promise<string | undefined> {
  const first = await makeOne(path, mode)
  if (first !== 'no parent') return first === 'made' ? path : undefined
  const parent = dirname(path)
  const above = parent === path ? undefined : await makeDirectory(parent, mode)
  const second = await makeOne(path, mode)
  if (second === 'no parent')
    throw Object.assign(new Error(`cannot create a directory in ${parent}`), { code: 'ENOENT' })
  return above ?? (second === 'made' ? path : undefined)
}

async function makeOne(path: string, mode: number): Promise<'made' | 'there' | 'no parent'> {
  try {
    await mkdir(path, mode)
    return 'made'
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return 'no parent'
    // File systems report an existing directory differently: some check rights first.
    const found = await stat(path).catch(() => undefined)
    if (found?.isDirectory() === true) return 'there'
    throw error
  }
}
