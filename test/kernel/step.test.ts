import { describe, expect, it } from 'vitest'
import {
  answer,
  DomainError,
  lifecycle,
  move,
  nextStatus,
  refuse,
  step,
  systemEnv,
  unwrap,
  unwrapStep,
} from '../../src/kernel/index.ts'

describe('a step', () => {
  it('edits a copy and shares what did not change', () => {
    const before = { count: 1, tags: ['a'] }
    const after = step(before, (draft) => (draft.count += 1))
    expect([before.count, after.state.count, after.value]).toEqual([1, 2, 2])
    expect(after.state.tags).toBe(before.tags)
  })

  it('keeps the same state when the recipe changes nothing', () => {
    const before = { count: 1 }
    expect(step(before, () => 'seen').state).toBe(before)
    expect(answer(before, 'seen').state).toBe(before)
  })

  it('freezes what it gives, and tells its events in order', () => {
    const after = step({ items: [] as string[] }, (draft, emit: (event: string) => void) => {
      emit('first')
      draft.items.push('x')
      emit('second')
    })
    expect(Object.isFrozen(after.state.items)).toBe(true)
    expect(after.events).toEqual(['first', 'second'])
  })
})

describe('a refusal', () => {
  it('is plain data, with detail only where there is some', () => {
    expect(refuse('late', 'too late')).toEqual({ ok: false, refusal: { code: 'late', message: 'too late' } })
    expect(refuse('late', 'too late', { by: 3 }).refusal.detail).toEqual({ by: 3 })
  })

  it('becomes an exception in unwrap', () => {
    expect(unwrap(answer({}, 7))).toBe(7)
    const thrown = (() => {
      try {
        return unwrap(refuse('late', 'too late'))
      } catch (error) {
        return error
      }
    })()
    expect(thrown).toBeInstanceOf(DomainError)
    expect(thrown).toMatchObject({ code: 'late', message: 'too late' })
  })
})

describe('the whole step of an outcome', () => {
  it('is the very step: state, value and events', () => {
    const outcome = step({ count: 1 }, (draft, emit: (event: string) => void) => {
      emit('counted')
      draft.count += 1
      return draft.count
    })
    expect(unwrapStep(outcome)).toBe(outcome)
    expect(unwrapStep(outcome)).toEqual({ ok: true, state: { count: 2 }, value: 2, events: ['counted'] })
  })

  it('is an exception where the command was refused', () => {
    expect(() => unwrapStep(refuse('late', 'too late', { by: 3 }))).toThrow(DomainError)
    expect(() => unwrapStep(refuse('late', 'too late'))).toThrow('too late')
  })
})

it('what is no outcome is not unwrapped', () => {
  // As programs without types do that forget to await.
  for (const wrong of [Promise.resolve(answer({}, 7)), undefined, 7] as never[]) {
    expect(() => unwrap(wrong)).toThrow('unwrap takes an outcome; a promise of one is to be awaited first')
    expect(() => unwrapStep(wrong)).toThrow('unwrapStep takes an outcome')
  }
})

describe('a lifecycle', () => {
  const gate = lifecycle({ open: { shut: 'closed' }, closed: { open: 'open', lock: 'locked' }, locked: {} })

  it('says where a verb leads', () => {
    expect(move(gate, 'closed', 'lock')).toBe('locked')
    expect(nextStatus(gate, 'open', 'shut')).toBe('closed')
  })

  it('has no way where the table has none, not even through inherited names', () => {
    expect(nextStatus(gate, 'locked', 'open')).toBeUndefined()
    expect(nextStatus(gate, 'open', 'toString' as 'open')).toBeUndefined()
    expect(nextStatus(gate, 'gone' as 'open', 'shut')).toBeUndefined()
    expect(nextStatus(gate, '__proto__' as 'open', 'toString' as 'open')).toBeUndefined()
    expect(nextStatus(gate, 'constructor' as 'open', 'prototype' as 'open')).toBeUndefined()
  })
})

describe('the system environment', () => {
  it('gives the present and a fresh identifier each time', () => {
    const env = systemEnv()
    expect(Math.abs(env.now - Date.now())).toBeLessThan(60_000)
    expect(env.newId('x')).not.toBe(env.newId('x'))
  })
})
