import { describe, expect, it } from 'vitest'
import { addressProblem, sameAddress } from '../../src/registry/index.ts'

const address = (change: object) => ({ namespace: 'acme', name: 'vpc', provider: 'aws', ...change })

describe('a module address', () => {
  it.each([
    {},
    { namespace: 'A' },
    { namespace: '1-a_b' },
    { name: 'a'.repeat(64) },
    { name: 'VPC_2-x' },
    { provider: 'a1' },
    { provider: '2' },
  ])('may be %j', (change) => {
    expect(addressProblem(address(change))).toBeUndefined()
  })

  it.each([
    ['namespace', ''],
    ['namespace', '-acme'],
    ['namespace', 'acme-'],
    ['namespace', 'ac.me'],
    ['namespace', 'a'.repeat(65)],
    ['namespace', 'ac/me'],
    ['namespace', 'acmé'],
    ['namespace', 'acme\n'],
    ['name', '_x'],
    ['name', 'a b'],
    ['provider', 'AWS'],
    ['provider', 'aws_x'],
    ['provider', 'a-b'],
    ['provider', 'a'.repeat(65)],
  ])('cannot have the %s %j', (part, text) => {
    const refused = addressProblem(address({ [part]: text }))
    expect(refused?.refusal).toMatchObject({ code: 'invalid_module_name', detail: { part } })
    expect(refused?.refusal.message).toContain(JSON.stringify(text))
  })

  it('cannot be in a namespace that would hide the search', () => {
    expect(addressProblem(address({ namespace: 'Search' }))?.refusal.message).toBe(
      'the namespace "Search" is reserved',
    )
  })

  it('is case-insensitive', () => {
    expect(sameAddress(address({}), address({ namespace: 'ACME' }))).toBe(true)
    expect(sameAddress(address({}), address({ name: 'vpc2' }))).toBe(false)
  })
})
