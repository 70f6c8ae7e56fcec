import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { packNames, unpackNames } from '../../../../src/secrets/service/tokens/packed-names.ts'

const name = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 256 }),
  fc.constantFrom('default', 'team', 'team-1', 'team-1-reader', 'team-12-reader', 'team-2-reader', 'eam', ''),
)

describe('a list of names as one text', () => {
  it('is the same list again, sealed as JSON or not', () => {
    fc.assert(
      fc.property(fc.array(name), (names) => {
        const packed = packNames(names)
        expect(unpackNames(packed)).toEqual(names)
        const carried = new TextDecoder().decode(new TextEncoder().encode(JSON.stringify(packed)))
        expect(unpackNames(JSON.parse(carried))).toEqual(names)
      }),
    )
  })
  it('is short where names look alike', () => {
    const names = Array.from({ length: 250 }, (_, at) => `team-${at}-service-reader`).sort()
    expect(packNames(names).length).toBeLessThan(1200)
  })
})
