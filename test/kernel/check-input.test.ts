import { describe, expect, it } from 'vitest'
import { checkInput } from '../../src/kernel/check-input.ts'
import { testClock } from '../../src/testing/index.ts'

interface Input {
  readonly name: string
  readonly cas?: number | undefined
  readonly groups?: readonly string[] | undefined
  readonly orphan?: boolean | 'granted' | undefined
}
const check = (input: unknown) => () =>
  checkInput(input as Input, { name: '' }, { cas: 0, groups: [], orphan: undefined })

describe('the input of a command', () => {
  it.each([
    { name: 'a' },
    { name: 'a', cas: -1, groups: [], orphan: 'granted' },
    { name: 'a', cas: undefined, orphan: true },
  ])('%j is fine', (input) => {
    expect(check(input)).not.toThrow()
  })

  it.each([
    [undefined, 'input is missing'],
    [{}, 'input.name is undefined, not string'],
    [{ name: null }, 'input.name is object, not string'],
    [{ name: ['a'] }, 'input.name is object, not string'],
    [{ name: 'a', cas: '1' }, 'input.cas is string, not number or undefined'],
    [{ name: 'a', cas: null }, 'input.cas is object, not number or undefined'],
    [{ name: 'a', cas: Number.NaN }, 'input.cas is NaN, not a whole number'],
    [{ name: 'a', cas: 1.5 }, 'input.cas is 1.5, not a whole number'],
    [{ name: 'a', cas: 2 ** 53 }, 'input.cas is 9007199254740992, not a whole number'],
    [{ name: 'a', groups: 'b' }, 'input.groups is string, not object or undefined'],
    [{ name: 'a', group: [] }, 'input.group is not one of name,cas,groups,orphan'],
    [{ name: 'a', more: undefined }, 'input.more is not one of name,cas,groups,orphan'],
  ])('%j names what is wrong', (input, message) => {
    expect(check(input)).toThrow(new TypeError(message))
  })

  it('is not read with a clock for its environment', () => {
    const clock = testClock()
    expect(() => checkInput({}, {}, {}, clock as never)).toThrow(
      new TypeError('env is a clock, not its env()'),
    )
    expect(() => checkInput({}, {}, {}, clock.env())).not.toThrow()
  })
})
