import { readFileSync } from 'node:fs'
import { extname } from 'node:path'

/**
 * A page of the site with the files that it includes (`<<< @/../examples/kysely/jobs.mjs`) as blocks of code, as VitePress
 * shows them.
 *
 * @param {string} page
 */
export const withIncludedFiles = (page) =>
  readFileSync(page, 'utf8').replace(
    /^<<< @\/\.\.\/([^\s{]+)(?:\{(\w+)\})?$/gm,
    (_, path, language = extname(path).slice(1)) =>
      `\`\`\`${language}\n${readFileSync(path, 'utf8').trimEnd()}\n\`\`\``,
  )
