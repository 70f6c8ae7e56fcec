import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { build } from 'esbuild'

/** Programs of this folder, bundled with the sources so that they start fast, and under every version of Node. */
export interface Bundled {
  file(name: string): string
  remove(): Promise<void>
}

export async function bundled(...names: readonly string[]): Promise<Bundled> {
  // Beside the sources, so that packages are found.
  const directory = await mkdtemp(join(import.meta.dirname, '../../node_modules/.plinth-bundled-'))
  await build({
    entryPoints: names.map((name) => ({ in: join(import.meta.dirname, `${name}.ts`), out: name })),
    outdir: directory,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
  })
  return {
    file: (name) => join(directory, `${name}.mjs`),
    remove: () => rm(directory, { recursive: true, force: true }),
  }
}
