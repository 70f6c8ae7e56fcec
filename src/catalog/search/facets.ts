import { numbering } from '../../search/index.ts'
import type { BoxQuery, BoxRow } from './row.ts'

/**
 * Which boxes have a provider for an architecture. Boxes with the same providers share a number: there are few such
 * combinations.
 */
export function facets() {
  const combinations = numbering()
  const bySlot: number[] = []

  return {
    put: (slot: number, { providers }: BoxRow): void => {
      const pairs = providers.map(({ name, architecture }) => `${name} ${architecture}\n`)
      bySlot[slot] = combinations.assign(['\n', ...pairs].join(''))
    },
    /** Returns whether a slot passes a query's provider and architecture; `undefined` if every slot does. */
    filter: ({ provider = '', architecture = '' }: BoxQuery): ((slot: number) => boolean) | undefined => {
      if (provider === '' && architecture === '') return undefined
      const part = `${provider === '' ? '' : `\n${provider}`} ${architecture === '' ? '' : `${architecture}\n`}`
      const passes = [false, ...Array.from(combinations.strings(), (pairs) => pairs.includes(part))]
      return (slot) => passes[bySlot[slot] ?? 0] === true
    },
  }
}
