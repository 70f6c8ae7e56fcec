import { useMemo } from 'preact/hooks'
import { renderMarkdown } from '../../../catalog/markdown.ts'

/**
 * Markdown as HTML, with tables. Markup in it is shown as text, and links lead to http, https and mail only.
 */
export function Markdown({ text }: { readonly text: string }) {
  const html = useMemo(() => belowTitle(renderMarkdown(text)), [text])
  return <div class="markdown" dangerouslySetInnerHTML={{ __html: html }} />
}

/** Headings one level lower: the title of a page is its view's. */
const belowTitle = (html: string): string =>
  html.replace(/<(\/?)h([1-5])>/g, (_, slash: string, level: string) => `<${slash}h${Number(level) + 1}>`)
