import { lru } from '../../kernel/lru.ts'
import type { BoxDetail } from '../service/details.ts'
import { boxView, metadataView, type Voice, voiceOf } from './views.ts'

interface Written {
  readonly base: string
  readonly detail: BoxDetail
  readonly text: string
}

const views = { box: boxView, metadata: metadataView } satisfies Record<
  string,
  (voice: Voice, detail: BoxDetail) => unknown
>

/** Some 32 MB. */
const maxCharacters = 16_000_000

/**
 * Returns the JSON of boxes. The texts of recently read boxes are cached: a box with the same records has the same
 * text.
 */
export function boxTexts() {
  const cache = lru<Written>(maxCharacters, ({ text }) => text.length)
  return (view: keyof typeof views, api: 1 | 2, base: string, detail: BoxDetail): string => {
    const key = `${view} ${api} ${detail.box.id}`
    const known = cache.get(key)
    if (known?.base === base && isSame(known.detail, detail)) return known.text
    const text = JSON.stringify(views[view](voiceOf(api, { base }), detail))
    cache.set(key, { base, detail, text })
    return text
  }
}

/** Records are immutable, and so is the list of versions built from them. */
const isSame = (a: BoxDetail, b: BoxDetail): boolean =>
  a.box === b.box && a.versions === b.versions && a.downloads === b.downloads
