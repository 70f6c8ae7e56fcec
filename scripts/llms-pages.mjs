import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { withIncludedFiles } from './included-files.mjs'

const sections = {
  start: 'Start',
  guide: 'Guides',
  recipes: 'Recipes',
  reference: 'Reference',
  explanation: 'Explanation',
}

/**
 * Writes the site as text for language models: `llms.txt` lists the pages, `llms-full.txt` holds them.
 *
 * @param {string} site the folder of the pages
 * @param {string} dist the folder that the site was built to
 */
export function writeLlmsTexts(site, dist) {
  const home = readFileSync(join(site, 'index.md'), 'utf8')
  const summary = /^ {2}tagline: (.+)$/m.exec(home)?.[1] ?? 'Domain engines for TypeScript.'
  const parts = Object.entries(sections).map(([folder, title]) => ({ title, pages: pagesIn(site, folder) }))
  const listed = parts
    .filter(({ pages }) => pages.length > 0)
    .map(
      ({ title, pages }) =>
        `## ${title}\n\n${pages.map((page) => `- [${page.title}](/${page.path})`).join('\n')}\n`,
    )
  const more = '## More\n\n- [API: every export of every subpath](/api/)\n- [Playground](/playground)\n'
  writeFileSync(join(dist, 'llms.txt'), [`# Plinth\n\n> ${summary}\n`, ...listed, more].join('\n'))
  const whole = parts.flatMap(({ pages }) => pages.map(({ path, text }) => `<!-- /${path} -->\n\n${text}`))
  writeFileSync(join(dist, 'llms-full.txt'), `${whole.join('\n\n')}\n`)
}

/** The pages of a folder and of the folders in it. */
function pagesIn(site, folder) {
  if (!existsSync(join(site, folder))) return []
  return readdirSync(join(site, folder), { recursive: true })
    .filter((file) => file.endsWith('.md'))
    .sort()
    .map((file) => {
      const text = withIncludedFiles(join(site, folder, file))
        .replace(/^<!-- Generated.*-->\n+/, '')
        .trim()
      const title = /^# (.+)$/m.exec(text)?.[1] ?? file
      return { path: `${folder}/${file.slice(0, -'.md'.length)}`, title, text }
    })
}
