import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { unwrap } from '../../../src/kernel/index.ts'
import { compileAcl, decide, parsePolicy } from '../../../src/secrets/acl/index.ts'
import { judgingParameters } from '../../../src/secrets/acl/parameters.ts'

const aclOf = (rule: string) =>
  compileAcl([{ policy: unwrap(parsePolicy('p', `path "x" { capabilities = ["update"]\n${rule} }`)) }])
const allows = (rule: string, text: unknown) =>
  decide(aclOf(rule), { path: 'x', operation: 'update', parameters: { text } })

describe('a parameter rule with stars at both ends', () => {
  it('finds what a search of the host finds, also in long texts that repeat themselves', () => {
    const letters = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 12 })
    fc.assert(
      fc.property(letters, letters, fc.integer({ min: 0, max: 3 }), (part, tail, copies) => {
        const text = 'ab'.repeat(2048) + part.slice(1).repeat(copies) + tail
        const glob = `*${part}*`
        expect(allows(`allowed_parameters = { "text" = ["${glob}"] }`, text).allowed).toBe(
          text.includes(part),
        )
      }),
    )
  })

  it('searches long texts in steps, so that no request waits for more than one of them', () => {
    const text = 'a'.repeat(2 * 1024 * 1024)
    const { rule } = decide(aclOf('denied_parameters = { "text" = ["*aaaaaaaaab*", "*aaaaaaaaac*"] }'), {
      path: 'x',
      operation: 'update',
    })
    if (rule === undefined) throw new Error('a rule decides')
    const steps = [...judgingParameters(rule, { text })].length
    expect((2 * text.length) / steps).toBeLessThanOrEqual(65_536)
  })

  it('refuses values that are too long to be searched, whether it allows or denies', () => {
    const text = 'a'.repeat(9 * 1024 * 1024)
    const globs = ['*aaaaaaaaaaaaaab*', '*aaaaaaaaaaaaaac*'].map((glob) => JSON.stringify(glob)).join(', ')
    for (const kind of ['allowed_parameters', 'denied_parameters'])
      expect(allows(`${kind} = { "text" = [${globs}] }`, text)).toMatchObject({
        allowed: false,
        problem: 'the value of parameter "text" is too long to be searched',
      })
    // Other rules cost nothing.
    expect(allows('allowed_parameters = { "text" = ["a*"] }', text).allowed).toBe(true)
  })
})
