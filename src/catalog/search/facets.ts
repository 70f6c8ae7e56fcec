import { numbering } from '../../search/index.ts'
import type { BoxQuery, BoxRow } from './row.ts'

/**
 * Which boxes have a provider for an architecture. Boxes with the same providers share a number: there are few such
 * combinations.
 */
export function facets() {
  const combinations = numbering()

  return {
    put: (slot: number, { providers }: BoxRow): void => {
      const pairs = providers.map(({ name, architecture }) => `${name} ${architecture}\n`)
      combinations.put(slot, ['\n', ...pairs].join(''))
    },
    remove: (slot: number): void => combinations.put(slot, undefined),
    /** Returns whether a slot passes a query's provider and architecture; `undefined` if every slot does. */
    filter: ({ provider = '', architecture = '' }: BoxQuery): ((slot: number) => boolean) | undefined => {
      if (provider === '' && architecture === '') return undefined
      const part = `${provider === '' ? '' : `\n${provider}`} ${architecture === '' ? '' : `${architecture}\n`}`
      const passes = combinations.passing((pairs) => pairs.includes(part))
      return (slot) => passes[combinations.bySlot[slot] ?? 0] === true
    },
  }
}
