import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compareVersions, latestVersion, parseVersion, type VersionNumber } from '../../src/registry/index.ts'

const read = (text: string): VersionNumber => {
  const version = parseVersion(text)
  if (!version) throw new Error(`${text} is no version`)
  return version
}

describe('a version number', () => {
  it.each([
    ['1.0.0', '1.0.0'],
    ['v1.0.0', '1.0.0'],
    ['1.0', '1.0.0'],
    ['2', '2.0.0'],
    ['01.02.003', '1.2.3'],
    ['1.2.3.4', '1.2.3.4'],
    ['1.2.3.0', '1.2.3'],
    ['1.0.0-beta.1', '1.0.0-beta.1'],
    ['1.0beta1', '1.0.0-beta1'],
    ['1.0.0-rc-1', '1.0.0-rc-1'],
    ['1.0.0--a', '1.0.0--a'],
    ['1.0.0-a.-b', '1.0.0-a.-b'],
    ['1.0.0-a.0', '1.0.0-a.0'],
    ['1.0.0-a.01b', '1.0.0-a.01b'],
    ['1.0.0+b1', '1.0.0+b1'],
    ['v1.0-rc1+sha.5', '1.0.0-rc1+sha.5'],
  ])('%s is known as %s', (text, canonical) => {
    expect(parseVersion(text)?.canonical).toBe(canonical)
  })

  it.each([
    '',
    'latest',
    'v',
    '1..0',
    '.1',
    '1.',
    '1.0_1',
    '1.0.0-',
    '1.0.0-a..b',
    '1.0.0-a.01',
    '1.0.0-01',
    '1.0.0+',
    ' 1.0.0',
    'V1.0.0',
    '1.0.0\n',
    '9007199254740993',
    '1.0.0-é',
    `1.0.0-${'a'.repeat(200)}`,
  ])('%j is none', (text) => {
    expect(parseVersion(text)).toBeUndefined()
  })

  it('orders numbers as numbers, prereleases before their stable version, words after numbers', () => {
    const ordered = [
      '0.9',
      '1.0.0-1',
      '1.0.0-2',
      '1.0.0-10',
      '1.0.0-alpha',
      '1.0.0-alpha.1',
      '1.0.0-beta',
      '1.0.0-beta.2',
      '1.0.0-beta.11',
      '1.0.0-rc.1',
      '1.0.0',
      '1.0.0.1',
      '1.0.1',
      '1.9.0',
      '1.10.0',
      '2.0.0-alpha',
      '2',
    ]
    const shuffled = [...ordered].reverse().map(read)
    expect(shuffled.sort(compareVersions).map(({ canonical }) => canonical)).toEqual(
      ordered.map((text) => read(text).canonical),
    )
  })

  it('orders prerelease numbers of any length', () => {
    const [older, newer] = [read('1.0.0-99999999999999999998'), read('1.0.0-99999999999999999999')]
    expect(compareVersions(older, newer)).toBeLessThan(0)
    expect(compareVersions(read('1.0.0-10'), read('1.0.0-9'))).toBeGreaterThan(0)
  })

  it('gives builds of one number equal rank', () => {
    expect(compareVersions(read('1.0.0+b1'), read('1.0.0+b2'))).toBe(0)
  })

  const versionText = fc
    .tuple(
      fc.constantFrom('', 'v'),
      fc.array(fc.nat(20), { minLength: 1, maxLength: 5 }),
      fc.array(fc.constantFrom('a', 'b', '1', '2', '10', 'rc1'), { maxLength: 3 }),
      fc.constantFrom('', '+x', '+1.y'),
    )
    .map(
      ([v, numbers, pre, build]) =>
        `${v}${numbers.join('.')}${pre.length > 0 ? `-${pre.join('.')}` : ''}${build}`,
    )

  it('reads its canonical form as itself', () => {
    fc.assert(
      fc.property(versionText, (text) => {
        const version = read(text)
        expect(read(version.canonical)).toEqual(version)
      }),
    )
  })

  it('is ordered totally', () => {
    fc.assert(
      fc.property(versionText, versionText, versionText, (x, y, z) => {
        const [a, b, c] = [read(x), read(y), read(z)]
        expect(Math.sign(compareVersions(a, b)) + Math.sign(compareVersions(b, a))).toBe(0)
        if (compareVersions(a, b) <= 0 && compareVersions(b, c) <= 0)
          expect(compareVersions(a, c)).toBeLessThanOrEqual(0)
      }),
    )
  })
})

describe('the latest version', () => {
  it.each([
    [['1.0.0', '1.9.0', '1.10.0', '2.0.0-beta1'], '1.10.0'],
    [['1.0.0-a', '1.0.0-b'], '1.0.0-b'],
    [['0.1.0'], '0.1.0'],
  ])('of %j is %s', (versions, latest) => {
    expect(latestVersion(versions.map((number) => ({ number })))).toEqual({ number: latest })
  })

  it('of no versions is undefined', () => {
    expect(latestVersion([])).toBeUndefined()
  })

  it('is no deprecated one, unless all stable ones are', () => {
    const entry = (number: string, isDeprecated = false) =>
      isDeprecated ? { number, deprecation: { reason: 'broken' } } : { number }
    const of = (...entries: readonly ReturnType<typeof entry>[]) => latestVersion(entries)?.number
    expect(of(entry('1.0.0'), entry('1.1.0', true), entry('2.0.0-rc1'))).toBe('1.0.0')
    expect(of(entry('1.0.0', true), entry('1.1.0', true), entry('2.0.0-rc1'))).toBe('1.1.0')
  })
})
