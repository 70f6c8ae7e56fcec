import type { CompletionSource } from '@codemirror/autocomplete'
import { type CompletionOption, complete } from '../completing/complete.ts'
import { isBegun } from '../completing/is-begun.ts'
import { checkConfig, type FilterConfig } from './config.ts'

/**
 * Returns the completion of {@link filter} by itself, for `autocompletion({ override: […] })`. The list opens at a
 * partial word, after an operator, or on request.
 */
export function filterCompletion(config: FilterConfig = {}): CompletionSource {
  checkConfig('filterCompletion', config)
  const { kinds: _, ...options } = config
  return ({ state, pos, explicit }) => {
    const text = state.doc.toString()
    if (!explicit && !isBegun(text.slice(0, pos))) return null
    const { from, to, options: offered } = complete(text, pos, options)
    if (offered.length === 0) return null
    return {
      from,
      to,
      // The options are already filtered and sorted.
      filter: false,
      options: offered.map(({ text: label, kind, detail }) => ({
        label,
        type: types[kind],
        ...(detail !== undefined && { detail }),
      })),
    }
  }
}

/** The types of CodeMirror, which give an option its icon. */
const types: Readonly<Record<CompletionOption['kind'], string>> = {
  field: 'property',
  name: 'variable',
  operator: 'keyword',
  value: 'constant',
  connective: 'keyword',
  quantifier: 'keyword',
  function: 'function',
  parameter: 'variable',
  keyword: 'keyword',
}
