import { micromark } from 'micromark'
import { gfmTable, gfmTableHtml } from 'micromark-extension-gfm-table'
import { checkArguments } from '../kernel/check-arguments.ts'

/**
 * Renders Markdown (CommonMark, and tables as GitHub has them) to HTML that is safe to show: HTML in the text is
 * escaped, and links and images keep only harmless protocols.
 *
 * @remarks
 * A text that would take so long to render that it delays all other requests (thousands of brackets, stars or lines) is
 * shown unrendered, in a `pre` element. If all texts of one answer together would take too long, the last ones are
 * shown the same way; after eight million characters of HTML, the remaining texts are omitted.
 *
 * @example
 * ```ts
 * import { renderMarkdown } from 'plinth/catalog'
 *
 * renderMarkdown('A *tiny* box') // '<p>A <em>tiny</em> box</p>\n'
 * renderMarkdown('<b>bold</b>') // '<p>&lt;b&gt;bold&lt;/b&gt;</p>\n'
 * ```
 */
export function renderMarkdown(text: string): string {
  checkArguments('text', text)
  if (effort(text) > maxEffort) return asWritten(text)
  const html = micromark(text, { extensions: [gfmTable()], htmlExtensions: [gfmTableHtml()] })
  return html === '' ? '' : `${html}\n`
}

/** Renders Markdown for a page with a title: its headings are one level lower. */
export const markdownBelowTitle = (text: string): string =>
  renderMarkdown(text).replace(
    /<(\/?)h([1-5])>/g,
    (_, slash: string, level: string) => `<${slash}h${Number(level) + 1}>`,
  )

/** A text that is not rendered. */
export const asWritten = (text: string): string => `<pre>${escapeHtml(text)}</pre>\n`

/** The approximate maximum time to render a text, in microseconds: the worst ones take quadratic time. */
export function renderingCost(text: string): number {
  const signs = text.match(/[\t!-/:-@[-`{-~]/g)?.length ?? 0
  const needed = effort(text)
  return 100 + text.length / 4 + signs * 2 + (needed > maxEffort ? 0 : needed ** 2 / 80)
}

/** About 200 ms for the worst known text: many constructs take quadratic time. */
const maxEffort = 4000

/**
 * Nested lists and quotes on one line cost most, then the openers of declarations, because the parser looks for the
 * closer to the end of the text; then underlined headings, rules and emphasis, then the remaining syntax.
 */
const weights = [
  [/(?:(?:[+*-]|\d{1,9}[.)])[ \t]+|>[ \t]*)(?=>|(?:[+*-]|\d{1,9}[.)])[ \t])/g, 10],
  [/<[?!]/g, 10],
  [/[\n\r][ \t]*[=-]+[ \t]*(?=[\n\r])/g, 5],
  [/\r\n?|\n/g, 4],
  [/[*_]/g, 2],
  [/[[\]`<\\|]/g, 1],
] as const

function effort(text: string): number {
  let sum = 0
  for (const [pattern, weight] of weights) sum += weight * (text.match(pattern)?.length ?? 0)
  return sum
}

const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
