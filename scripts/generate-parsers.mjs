// Generates every Peggy grammar into src/<engine>/generated/. The output is committed, so that readers
// and `npm test` need no generation step; `--check` fails when it is not current.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { compact } from './peggy-compact.mjs'

/** Grammar → where its parser goes, what it returns (relative to that), and what the grammar asks of its caller. */
const grammars = [
  {
    source: 'grammar/filter.peggy',
    target: 'src/filter/generated/filter-parser',
    returns: "import('../ast.ts').Expression",
    options: `  readonly bexpr: boolean
  readonly unquote: (raw: string, error: (message: string) => never) => string
  readonly pointerPath: (text: string) => readonly string[] | null
  /** One level deeper (1), at a place, or out of it (-1). Gives \`true\`, or throws. */
  readonly nest: (levels: 1 | -1, at?: number) => boolean
`,
  },
  {
    source: 'grammar/hcl.peggy',
    target: 'src/hcl/generated/hcl-parser',
    returns: "import('../ast.ts').Body",
    options: `  /** How deep braces and brackets may nest. */
  readonly depth: number
`,
  },
]

const declarationOf = (returns, options) => `/** What the grammar asks of its caller. */
export interface ParserOptions {
${options}  /** Throws: \`message\` where the grammar has one, else what was expected instead of what stands at \`start\`. */
  readonly fail: (
    message: string | null,
    start: number,
    end: number,
    expected: readonly string[] | null,
    location?: { readonly start: { readonly line: number; readonly column: number } },
  ) => never
}
export function parse(text: string, options: ParserOptions): ${returns}
`

const check = process.argv.includes('--check')
let outdated = 0

for (const { source, target, returns, options } of grammars) {
  if (!existsSync(source)) continue
  const banner = `// Generated from ${source} by \`npm run gen\`. Do not edit.\n`
  for (const [path, text] of [
    [`${target}.js`, banner + compact(readFileSync(source, 'utf8'))],
    [`${target}.d.ts`, banner + declarationOf(returns, options)],
  ]) {
    const current = existsSync(path) && readFileSync(path, 'utf8') === text
    if (current) continue
    if (check) {
      console.error(`${path} is not what ${source} generates; run \`npm run gen\` and commit the result.`)
      outdated += 1
      continue
    }
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
    console.log(`generated ${path}`)
  }
}
process.exitCode = outdated === 0 ? 0 : 1
