import { copyFile, mkdir, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** Copies a folder recursively, and reports how many of its bytes are copied. */
export async function copyFolder(
  from: string,
  to: string,
  report: (done: number, total: number) => void,
): Promise<void> {
  const entries = await readdir(from, { recursive: true, withFileTypes: true })
  const inside = (folder: string) => folder.slice(from.length)
  await mkdir(to, { recursive: true })
  for (const entry of entries)
    if (entry.isDirectory()) await mkdir(join(to, inside(entry.parentPath), entry.name), { recursive: true })
  const files: (readonly [path: string, bytes: number])[] = []
  for (const entry of entries) {
    if (!entry.isFile()) continue
    const path = join(inside(entry.parentPath), entry.name)
    // A running server may have removed a file meanwhile, to which no record refers any more.
    const bytes = await stat(join(from, path)).then(({ size }) => size, unlessGone)
    if (bytes !== undefined) files.push([path, bytes])
  }
  const total = files.reduce((sum, [, bytes]) => sum + bytes, 0)
  let done = 0
  for (const [path, bytes] of files) {
    await copyFile(join(from, path), join(to, path)).catch(unlessGone)
    done += bytes
    report(done, total)
  }
}

function unlessGone(error: unknown): undefined {
  if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
}
