import { asWritten, renderingCost, renderMarkdown } from '../../http/markdown.ts'
import { lru } from '../../kernel/lru.ts'

/** Two seconds for the worst known texts; half a second for a hundred long ones of the usual kind. */
const costPerAnswer = 2_000_000

/** HTML spells some characters with six: no reader needs this many of them in one answer. */
const htmlPerAnswer = 8_000_000

/**
 * Renders the texts of one answer in order, within a budget that keeps the answer from delaying others: the remaining
 * texts are shown unrendered, and beyond a further limit omitted, because the answer contains their Markdown too.
 * Cached texts count the same.
 */
export function answerRenderer(): (markdown: string) => string {
  let costLeft = costPerAnswer
  let htmlLeft = htmlPerAnswer
  return (markdown) => {
    if (markdown === '' || htmlLeft <= 0) return ''
    const { html, cost } = costLeft > 0 ? rendered(markdown) : { html: asWritten(markdown), cost: 0 }
    costLeft -= cost
    htmlLeft -= html.length
    return html
  }
}

interface Rendered {
  readonly markdown: string
  readonly html: string
  /** The cost of rendering it. */
  readonly cost: number
}

/** Rendering is pure and slow: the last texts are cached, some 32 MB of them. */
const cache = lru<Rendered>(16_000_000, ({ markdown, html }) => markdown.length + html.length)

/** V8 tells longer texts of one length from each other by comparing them all. */
const keyLength = 16_000

function rendered(markdown: string): Rendered {
  const key = markdown.slice(0, keyLength)
  const known = cache.get(key)
  if (known?.markdown === markdown) return known
  const made = { markdown, html: renderMarkdown(markdown), cost: renderingCost(markdown) }
  cache.set(key, made)
  return made
}
