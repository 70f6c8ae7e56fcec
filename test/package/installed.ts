import { cpSync, mkdirSync, symlinkSync } from 'node:fs'
import { join, resolve } from 'node:path'

/** Installs what is packed, and its dependencies, into the `node_modules` of a folder. */
export function installInto(folder: string): void {
  const library = join(folder, 'node_modules', 'plinth')
  mkdirSync(join(library, 'node_modules'), { recursive: true })
  for (const name of ['dist', 'package.json']) cpSync(name, join(library, name), { recursive: true })
  for (const name of ['immer', 'zod'])
    symlinkSync(resolve('node_modules', name), join(library, 'node_modules', name))
}
