// Writes the generated pages of the reference: node --import ./scripts/ts-loader.mjs scripts/reference-pages.mjs
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { referencePages } from './reference/pages.ts'

rmSync('site/reference/endpoints', { recursive: true, force: true })
for (const [path, page] of Object.entries(await referencePages())) {
  const file = join('site', path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, page)
}
