import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compareVersionNumbers, parseVersionNumber } from '../../src/catalog/index.ts'

describe('version numbers of boxes', () => {
  it.each([
    '1',
    '1.0',
    '1.2.3.4',
    '1.0.0.rc1',
    '1.0.0-beta',
    '1.0.0-beta.1',
    '01.02',
    '1.a',
    '1-2',
    '202212.11.0',
    ' 1.0\n',
  ])('reads %j', (text) => expect(parseVersionNumber(text)?.text).toBe(text.trim()))

  it.each([
    '',
    ' ',
    'v1.0',
    '1.0.0+1',
    '1..0',
    '.1',
    '1.',
    '1.0_1',
    'a',
    '1.0 .0',
    '1-',
    '1.0-.a',
    '1/0',
    '../1',
    '１',
    `1${'0'.repeat(128)}`,
  ])('refuses %j, which would make the client refuse the whole box', (text) =>
    expect(parseVersionNumber(text)).toBeUndefined(),
  )

  it.each([
    ['1', '1.0', '01.0.0'],
    ['0', '00', '0.0.0'],
    ['0.a', '0.0.a', '00.a.0'],
    ['1.0.a', '1.a', '1.0.0.a.0'],
    ['1-beta1', '1.pre.beta.1', '1.0-beta.1'],
  ])('sees one version in %j, %j and %j', (...spellings) => {
    expect(new Set(spellings.map((text) => parseVersionNumber(text)?.canonical)).size).toBe(1)
    for (const other of spellings) expect(compareVersionNumbers(spellings[0], other)).toBe(0)
  })

  it('orders as the client does, seen with the real one', () => {
    const seen = [
      '1.0.0.a',
      '1.0.0.beta2',
      '1.0.0.beta10',
      '1.0.0-a.b',
      '1.0.0-1',
      '1.0.0.rc1',
      '1.0.0',
      '1.0.0.1',
      '1.9',
      '1.10',
      '2.0.0-alpha',
      '2',
    ]
    expect(seen.toReversed().sort(compareVersionNumbers)).toEqual(seen)
  })

  it('compares numbers of any size exactly', () => {
    expect(compareVersionNumbers('1.90071992547409931', '1.90071992547409930')).toBeGreaterThan(0)
    expect(compareVersionNumbers(`1.${'9'.repeat(90)}`, `1.1${'0'.repeat(90)}`)).toBeLessThan(0)
  })

  const part = fc.oneof(fc.nat({ max: 30 }).map(String), fc.constantFrom('a', 'b', 'rc1', 'pre', '0', '00'))
  const number = fc
    .tuple(fc.nat({ max: 3 }), fc.array(part, { maxLength: 4 }), fc.option(part))
    .map(([first, rest, dash]) => [first, ...rest].join('.') + (dash === null ? '' : `-${dash}`))

  it('is a total order in which equal means one canonical spelling', () => {
    fc.assert(
      fc.property(number, number, number, (a, b, c) => {
        const order = compareVersionNumbers(a, b)
        expect(Math.sign(order) + Math.sign(compareVersionNumbers(b, a))).toBe(0)
        expect(order === 0).toBe(parseVersionNumber(a)?.canonical === parseVersionNumber(b)?.canonical)
        if (order <= 0 && compareVersionNumbers(b, c) <= 0)
          expect(compareVersionNumbers(a, c)).toBeLessThanOrEqual(0)
      }),
    )
  })

  it('finds the canonical spelling of a canonical spelling unchanged', () => {
    fc.assert(
      fc.property(number, (text) => {
        const canonical = parseVersionNumber(text)?.canonical ?? ''
        expect(parseVersionNumber(canonical)?.canonical).toBe(canonical)
      }),
    )
  })
})
