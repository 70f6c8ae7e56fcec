// Bundles the console's browser application into src/console/generated/assets.ts, which is not committed: `npm ci` and
// `npm run build` make it. The package holds the application as text, so that it runs wherever its handler does.
import { mkdirSync, writeFileSync } from 'node:fs'
import { register } from 'node:module'
import { basename } from 'node:path'
import { build } from 'esbuild'

register('./ts-hooks.mjs', import.meta.url)
const { requestFields } = await import('./request-fields.ts')

const types = { js: 'text/javascript; charset=utf-8', css: 'text/css; charset=utf-8' }

const { outputFiles, metafile } = await build({
  entryPoints: [{ in: 'src/console/app/main.tsx', out: 'console' }],
  entryNames: '[name]-[hash]',
  chunkNames: '[name]-[hash]',
  outdir: 'assets',
  bundle: true,
  splitting: true,
  minify: true,
  write: false,
  metafile: true,
  format: 'esm',
  platform: 'browser',
  target: 'es2022',
  jsx: 'automatic',
  jsxImportSource: 'preact',
  define: {
    'process.env.NODE_ENV': '"production"',
    requestFields: JSON.stringify(await requestFields()),
  },
  tsconfig: 'src/console/app/tsconfig.json',
  legalComments: 'none',
  logLevel: 'warning',
})
const files = outputFiles.map(({ path, text }) => ({ name: basename(path), text }))
const named = (pattern) => files.find(({ name }) => pattern.test(name))?.name
const assets = Object.fromEntries(
  files.map(({ name, text }) => [name, { type: types[name.split('.').at(-1)], body: text }]),
)
mkdirSync('src/console/generated', { recursive: true })
writeFileSync(
  'src/console/generated/assets.ts',
  `// Made by scripts/build-console.mjs from src/console/app.
export const entry = ${JSON.stringify({ script: named(/^console-.*\.js$/), style: named(/^console-.*\.css$/) })}
export const assets: Readonly<Record<string, { readonly type: string; readonly body: string }>> = ${JSON.stringify(assets)}
`,
)
// The packages whose licences go with it.
writeFileSync('src/console/generated/inputs.json', JSON.stringify(Object.keys(metafile.inputs)))
