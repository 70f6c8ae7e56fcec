import { describe, expect, it } from 'vitest'
import { checkInput } from '../../src/kernel/check-input.ts'

const fields = { name: 'string', cas: 'number or undefined', groups: 'object or undefined' }
const check = (input: unknown) => () => checkInput(input as object, fields)

describe('the input of a command', () => {
  it.each([{ name: 'a' }, { name: 'a', cas: 1, groups: [] }, { name: 'a', cas: undefined, more: true }])(
    '%j is fine',
    (input) => {
      expect(check(input)).not.toThrow()
    },
  )

  it.each([
    [{}, 'input.name is undefined, not string'],
    [{ name: null }, 'input.name is object, not string'],
    [{ name: ['a'] }, 'input.name is object, not string'],
    [{ name: 'a', cas: '1' }, 'input.cas is string, not number or undefined'],
    [{ name: 'a', cas: null }, 'input.cas is object, not number or undefined'],
    [{ name: 'a', groups: 'b' }, 'input.groups is string, not object or undefined'],
  ])('%j names what is wrong', (input, message) => {
    expect(check(input)).toThrow(new TypeError(message))
  })
})
