import { describe, expect, it } from 'vitest'
import { checkInput } from '../../src/kernel/check-input.ts'

const fields = { name: 'string', cas: 'number?', groups: 'list of strings?' }
const check = (input: unknown) => () => checkInput('writeThing', input as object, fields)

describe('the input of a command', () => {
  it.each([
    { name: 'a' },
    { name: 'a', cas: 1, groups: [] },
    { name: 'a', cas: undefined, groups: ['b', 'c'], more: true },
  ])('%j is fine', (input) => {
    expect(check(input)).not.toThrow()
  })

  it.each([
    [undefined, 'writeThing: input: expected object, received undefined'],
    [null, 'writeThing: input: expected object, received null'],
    [{}, 'writeThing: input.name: expected string, received undefined'],
    [{ name: null }, 'writeThing: input.name: expected string, received null'],
    [{ name: 'a', cas: '1' }, 'writeThing: input.cas: expected number, received string'],
    [{ name: 'a', cas: null }, 'writeThing: input.cas: expected number, received null'],
    [{ name: 'a', groups: 'b' }, 'writeThing: input.groups: expected list of strings, received string'],
    [
      { name: 'a', groups: ['b', 1] },
      'writeThing: input.groups: expected list of strings, received list of strings and numbers',
    ],
  ])('%j names what is wrong', (input, message) => {
    expect(check(input)).toThrow(new TypeError(message))
  })
})
