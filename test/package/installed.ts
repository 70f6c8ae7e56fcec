import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, symlinkSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { build } from 'esbuild'

/** Installs what is packed, and its dependencies, into the `node_modules` of a folder. */
export function installInto(folder: string): void {
  const library = join(folder, 'node_modules', 'plinth')
  mkdirSync(join(library, 'node_modules'), { recursive: true })
  for (const name of ['dist', 'package.json']) cpSync(name, join(library, name), { recursive: true })
  for (const name of ['immer', 'zod'])
    symlinkSync(resolve('node_modules', name), join(library, 'node_modules', name))
}

/** Bundles a program of a folder for runtimes with web APIs, as `NAME.js` beside it. */
export const bundleIn = (folder: string, entry: string, format: 'esm' | 'iife') =>
  build({
    absWorkingDir: folder,
    entryPoints: [entry],
    outfile: join(folder, `${entry.replace('.mjs', '')}.js`),
    bundle: true,
    format,
    platform: 'neutral',
    mainFields: ['module', 'main'],
    conditions: ['workerd', 'worker'],
    external: ['cloudflare:workers'],
    define: { 'process.env.NODE_ENV': '"production"' },
  })

/** Runs a command in a folder; the result is the JSON that it prints. */
export async function runIn(folder: string, command: string, ...args: readonly string[]): Promise<unknown> {
  const { NODE_OPTIONS: _, VITEST: __, ...env } = process.env
  const { stdout } = await promisify(execFile)(command, args, { cwd: folder, env })
  return JSON.parse(stdout)
}
