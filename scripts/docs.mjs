// Builds the site: `node scripts/docs.mjs build`, or serves it while it is written: `node scripts/docs.mjs dev`.
// The site has its own package.json, so that the package itself installs none of its tools.
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeLlmsTexts } from './llms-pages.mjs'
import { inReaderOrder } from './reader-order.mjs'

const run = (program, args, options = {}) => {
  const { status } = spawnSync(program, args, { stdio: 'inherit', ...options })
  if (status !== 0) process.exit(status ?? 1)
}
const [command = 'build'] = process.argv.slice(2)

const installed = 'site/node_modules/.package-lock.json'
if (!existsSync(installed)) run('npm', ['ci', '--no-audit', '--no-fund'], { cwd: 'site' })

const { exports } = JSON.parse(readFileSync('package.json', 'utf8'))
const subpaths = Object.entries(exports).filter(([, target]) => typeof target === 'object')
const sourceOf = ({ default: file }) => file.replace(/^\.\/dist\/(.*)\.js$/, 'src/$1.ts')
const entryPoints = subpaths.map(([, target]) => sourceOf(target))

rmSync('site/api', { recursive: true, force: true })
run(process.execPath, [
  'site/node_modules/typedoc/bin/typedoc',
  '--options',
  'site/typedoc.json',
  ...entryPoints.flatMap((entry) => ['--entryPoints', entry]),
])
/** TypeDoc's name of a module (`secrets/kv`, after its folder) → what a program imports (`plinth/kv`). */
const importedAs = new Map(
  subpaths.map(([subpath, target]) => [
    sourceOf(target)
      .replace(/^src\//, '')
      .replace(/\.ts$/, '')
      .replace(/\/index$/, ''),
    `plinth${subpath.slice(1)}`,
  ]),
)
/** The page of a module → the index that declares the order of its exports. */
const sourceOfPage = new Map(
  [...importedAs.keys()].map((module) => {
    const index = `src/${module}/index.ts`
    return [
      module === 'index' ? 'index-1.md' : `${module}.md`,
      existsSync(index) ? index : `src/${module}.ts`,
    ]
  }),
)
for (const file of readdirSync('site/api', { recursive: true })) {
  if (!file.endsWith('.md')) continue
  const path = join('site/api', file)
  const page = readFileSync(path, 'utf8')
    .replace(/^# (\S+)$/m, (line, name) => (importedAs.has(name) ? `# ${importedAs.get(name)}` : line))
    .replace(/^- \[(\S+)\]/gm, (line, name) => (importedAs.has(name) ? `- [${importedAs.get(name)}]` : line))
    .replaceAll('index-1.md', 'plinth.md')
  const source = sourceOfPage.get(file)
  writeFileSync(path, withSoundAnchors(source ? inReaderOrder(page, readFileSync(source, 'utf8')) : page))
}
renameSync('site/api/index-1.md', 'site/api/plinth.md')
run(process.execPath, ['--import', './scripts/ts-loader.mjs', 'scripts/reference-pages.mjs'])
run(process.execPath, [join('node_modules', 'vitepress', 'bin', 'vitepress.js'), command], { cwd: 'site' })
if (command === 'build') writeLlmsTexts('site', 'site/.vitepress/dist')

/**
 * TypeDoc numbers a heading with the name of a property (`FilterErrorKind`, `FilterError.kind`), and VitePress does
 * not: a link to the second of such headings leads to the only one.
 */
function withSoundAnchors(page) {
  const anchors = [...page.matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
    heading.toLowerCase().replace(/[^a-z0-9]/g, ''),
  )
  return page.replace(/\]\(#([a-z0-9]+)-\d+\)/g, (link, name) =>
    anchors.filter((anchor) => anchor === name).length === 1 ? `](#${name})` : link,
  )
}
