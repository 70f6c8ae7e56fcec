import { rmSync } from 'node:fs'
import { resolve } from 'node:path'
import { build } from 'esbuild'

/** Bundles the command line once for all tests that run it as a process, so that they test the sources at hand. */
export default async function setup(): Promise<() => void> {
  const folder = resolve(`temp/cli-${process.pid}`)
  process.env['PLINTH_CLI'] = await bundleCommandLine(folder, 'src/cli/main.ts')
  return () => rmSync(folder, { recursive: true, force: true })
}

/** Bundles a command line into a folder, below which packages must be found; returns its file. */
export async function bundleCommandLine(folder: string, entry: string): Promise<string> {
  await build({
    entryPoints: [entry],
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    // What it brings along as well: one file is read much sooner than the hundreds of zod and date-fns.
    external: ['pg', 'postgres', '@aws-sdk/*'],
    // Beside the code, for a stack that someone wants to read: NODE_OPTIONS=--enable-source-maps. Every process would
    // read an inline one, which takes a fifth of the time that a server needs to start.
    sourcemap: 'linked',
    sourcesContent: false,
    outdir: folder,
    logLevel: 'error',
  })
  return `${folder}/main.js`
}
