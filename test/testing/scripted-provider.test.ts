import { expect, it } from 'vitest'
import { readIdpScript, scriptedProvider } from '../../src/testing/index.ts'

it('a script with a mistake is refused by its place, and by the field that was probably meant', () => {
  const script = { users: { ada: { pasword: 'hunter2' } } }
  const wrong = 'users.ada.pasword: there is no such field; did you mean password?'
  // @ts-expect-error As programs without types do.
  expect(() => scriptedProvider(script)).toThrow(new TypeError(`scriptedProvider: ${wrong}`))
  const read = readIdpScript(JSON.stringify(script))
  expect(read.ok || read.refusal.message).toBe(wrong)
  // @ts-expect-error
  expect(() => scriptedProvider()).toThrow('scriptedProvider: the script: ')
})
