import { useMemo } from 'preact/hooks'
import { markdownBelowTitle } from '../../../http/markdown.ts'

/**
 * Markdown as HTML, with tables. Markup in it is shown as text, and links lead to http, https and mail only.
 */
export function Markdown({ text }: { readonly text: string }) {
  const html = useMemo(() => markdownBelowTitle(text), [text])
  return <div class="markdown" dangerouslySetInnerHTML={{ __html: html }} />
}
