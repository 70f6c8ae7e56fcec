import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { frozenCopy } from '../../src/kernel/frozen-copy.ts'
import { step } from '../../src/kernel/step.ts'

/** The data itself, and everything within. */
function* within(value: unknown): Generator<object> {
  if (typeof value !== 'object' || value === null) return
  yield value
  for (const inner of Object.values(value)) yield* within(inner)
}

describe('a frozen copy', () => {
  it('equals the data, is frozen to the bottom, and shares nothing that is not', () => {
    fc.assert(
      fc.property(
        fc.object({ withNullPrototype: true, key: fc.constantFrom('a', 'b', '__proto__') }),
        (data) => {
          const before = structuredClone(data)
          const parts = new Set(within(data))
          const copy = frozenCopy(data)
          expect(copy).toEqual(data)
          expect(structuredClone(data)).toEqual(before)
          for (const part of within(copy)) {
            expect(Object.isFrozen(part)).toBe(true)
            expect(parts.has(part)).toBe(false)
          }
          for (const part of parts) expect(Object.isFrozen(part)).toBe(false)
          expect(frozenCopy(copy)).toBe(copy)
        },
      ),
    )
  })

  it('copies what is frozen at the top only', () => {
    const inner = { a: 1 }
    const copy = frozenCopy(Object.freeze({ inner }))
    inner.a = 2
    expect(copy).toEqual({ inner: { a: 1 } })
  })

  it('leaves objects of classes, and takes plain objects of another realm', () => {
    const signal = new AbortController().signal
    const bytes = new Uint8Array([1])
    const foreign: object = runInNewContext('({ list: [{ a: 1 }] })')
    const copy = frozenCopy({ signal, bytes, foreign })
    expect(copy.signal).toBe(signal)
    expect(copy.bytes).toBe(bytes)
    expect(copy.foreign).toEqual({ list: [{ a: 1 }] })
    expect(Object.getPrototypeOf(copy.foreign)).toBe(Object.prototype)
  })
})

it('a step leaves what its recipe puts into the state to the caller', () => {
  const notes = { owner: { name: 'ada' } }
  const { state } = step({ notes: {}, kept: { a: [1] } } as { notes: object; kept: object }, (draft) => {
    draft.notes = notes
  })
  notes.owner.name = 'eve'
  expect(state).toEqual({ notes: { owner: { name: 'ada' } }, kept: { a: [1] } })
  expect(Object.isFrozen((state.notes as typeof notes).owner)).toBe(true)
})
