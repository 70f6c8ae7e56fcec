import { describe, expect, it } from 'vitest'
import { checkInput } from '../../src/kernel/check-input.ts'

const fields = {
  name: 'string',
  cas: 'number or undefined',
  groups: 'object or undefined',
  keep: 'count or undefined',
}
const check = (input: unknown) => () => checkInput(input as object, fields)

describe('the input of a command', () => {
  it.each([
    { name: 'a' },
    { name: 'a', cas: -1, groups: [], keep: 0 },
    { name: 'a', cas: undefined, more: true },
  ])('%j is fine', (input) => {
    expect(check(input)).not.toThrow()
  })

  it.each([
    [{}, 'input.name is undefined, not string'],
    [{ name: null }, 'input.name is object, not string'],
    [{ name: ['a'] }, 'input.name is object, not string'],
    [{ name: 'a', cas: '1' }, 'input.cas is string, not number or undefined'],
    [{ name: 'a', cas: null }, 'input.cas is object, not number or undefined'],
    [{ name: 'a', cas: Number.NaN }, 'input.cas is NaN, not a whole number'],
    [{ name: 'a', cas: 1.5 }, 'input.cas is 1.5, not a whole number'],
    [{ name: 'a', cas: 2 ** 53 }, 'input.cas is 9007199254740992, not a whole number'],
    [{ name: 'a', keep: -1 }, 'input.keep is -1, not a whole number from 0'],
    [{ name: 'a', keep: '1' }, 'input.keep is string, not count or undefined'],
    [{ name: 'a', groups: 'b' }, 'input.groups is string, not object or undefined'],
  ])('%j names what is wrong', (input, message) => {
    expect(check(input)).toThrow(new TypeError(message))
  })
})
