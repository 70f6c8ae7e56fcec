import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ranking } from '../../src/search/index.ts'

describe('a ranking', () => {
  const sizes = fc.array(fc.nat(5), { minLength: 1, maxLength: 400 })

  it('holds its slots in order through any additions and removals', () => {
    fc.assert(
      fc.property(
        sizes,
        fc.array(fc.nat(399), { maxLength: 60 }),
        fc.boolean(),
        (values, removals, early) => {
          const ranked = ranking(
            (slot) => values[slot] ?? 0,
            (a, b) => a - b,
          )
          const slots = new Set(values.keys())
          for (const slot of slots) ranked.add(slot)
          if (early) ranked.read()
          for (const slot of removals) if (slots.delete(slot)) ranked.remove(slot)
          const expected = [...slots].sort((a, b) => (values[a] ?? 0) - (values[b] ?? 0) || a - b)
          expect([...ranked.read()]).toEqual(expected)
          // A few more, which are placed one by one.
          for (const slot of removals.slice(0, 5))
            if (slot < values.length && !slots.has(slot)) {
              slots.add(slot)
              ranked.add(slot)
            }
          expect([...ranked.read()]).toEqual(
            [...slots].sort((a, b) => (values[a] ?? 0) - (values[b] ?? 0) || a - b),
          )
        },
      ),
    )
  })

  it('is put in order in steps as at once, whatever was in order before', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(50), { maxLength: 3000, size: 'max' }), fc.nat(3000), (values, before) => {
        const ranked = ranking(
          (slot) => values[slot] ?? 0,
          (a, b) => a - b,
        )
        const slots = [...values.keys()]
        for (const slot of slots.slice(0, before)) ranked.add(slot)
        ranked.read()
        for (const slot of slots.slice(before)) ranked.add(slot)
        for (const _ of ranked.settling());
        const sorted = slots.sort((a, b) => (values[a] ?? 0) - (values[b] ?? 0) || a - b)
        expect([...ranked.read()]).toEqual(sorted)
        // It takes changes as before.
        if (sorted[0] !== undefined) ranked.remove(sorted[0])
        expect([...ranked.read()]).toEqual(sorted.slice(1))
      }),
      { numRuns: 30 },
    )
  })

  it('says where a slot that is not in it would stand', () => {
    const values = [10, 20, 30, 25]
    const ranked = ranking(
      (slot) => values[slot] ?? 0,
      (a, b) => a - b,
    )
    for (const slot of [2, 0, 1]) ranked.add(slot)
    expect(ranked.place(3)).toBe(2)
  })

  it('does not lose a slot whose rank changed behind its back in silence', () => {
    const values = [1, 2, 3]
    const ranked = ranking(
      (slot) => values[slot] ?? 0,
      (a, b) => a - b,
    )
    for (const slot of values.keys()) ranked.add(slot)
    ranked.read()
    values[0] = 9
    expect(() => ranked.remove(0)).toThrow('slot 0')
  })
})
