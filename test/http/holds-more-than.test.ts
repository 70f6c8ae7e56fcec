import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { holdsMoreThan } from '../../src/http/json-limits.ts'

/** The values of JSON data, and those of the largest object or list. */
function counted(data: unknown): { readonly all: number; readonly each: number } {
  if (typeof data !== 'object' || data === null) return { all: 1, each: 1 }
  const inner = Object.values(data).map(counted)
  return {
    all: inner.reduce((sum, { all }) => sum + all, 1),
    each: Math.max(1, inner.length, ...inner.map(({ each }) => each)),
  }
}

it('counts the values of a JSON text without those that its strings look like', () => {
  fc.assert(
    fc.property(
      fc.jsonValue({ stringUnit: fc.constantFrom('"', '\\', ',', '{', ']', 'a', '\u2028') }),
      (data) => {
        const text = JSON.stringify(data)
        const { all, each } = counted(data)
        // An empty object or list counts for one more than it has; texts that are shorter than a limit pass without a look.
        const empty = text.match(/\{\}|\[\]/g)?.length ?? 0
        if (text.length > all + empty)
          expect(holdsMoreThan(text, { all: all + empty, each: all + empty })).toBe(false)
        if (all > 1) expect(holdsMoreThan(text, { all: all - 1, each: all - 1 })).toBe(true)
        if (each > 1) expect(holdsMoreThan(text, { all: all + empty, each: each - 1 })).toBe(true)
      },
    ),
  )
})
