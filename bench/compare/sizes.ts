import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { type Tree, treeAt } from './tree.ts'

const run = promisify(execFile)

/** What is bundled: a name, the subpath and the exports. */
const bundles = [
  ['compile', './filter', '{ compile }'],
  ['filterCompiler', './filter', '{ filterCompiler }'],
  ['writeSecret', './kv', '{ writeSecret }'],
  ['all policies', './acl', '*'],
  ['createScheduler', './scheduler', '{ createScheduler }'],
] as const

const packed = async ({ folder }: Tree): Promise<number> => {
  const { stdout } = await run('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    cwd: folder,
    maxBuffer: 1e8,
  })
  return JSON.parse(stdout)[0].size
}

/** An application that uses nothing else, minified and gzipped. */
const bundled = async ({ fileOf, folder }: Tree, subpath: string, names: string): Promise<number> => {
  const { outputFiles } = await build({
    stdin: { contents: `export ${names} from ${JSON.stringify(fileOf(subpath))}`, resolveDir: folder },
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    define: { 'process.env.NODE_ENV': '"production"' },
    write: false,
    logLevel: 'silent',
  })
  return gzipSync(outputFiles[0]?.contents ?? '', { level: 9 }).byteLength
}

/** The bytes of the packed file and of bundles. */
export const sizes: readonly { readonly name: string; readonly of: (tree: Tree) => Promise<number> }[] = [
  { name: 'size: packed file', of: packed },
  ...bundles.map(([name, subpath, names]) => ({
    name: `size: bundle of ${name}`,
    of: (tree: Tree) => bundled(tree, subpath, names),
  })),
]

/** Measures one size in a folder; a string says why it cannot be measured there. */
export async function sizeIn(folder: string, of: (tree: Tree) => Promise<number>): Promise<number | string> {
  try {
    return await of(treeAt(folder))
  } catch (error) {
    return (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? ''
  }
}
