import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { compareVersionNumbers, parseVersionNumber } from '../../src/catalog/index.ts'
import { needing, ruby } from '../programs.ts'

/** The client's own idea of version numbers: RubyGems', asked in one go. */
const oracle = `
require 'json'
pairs = JSON.parse(STDIN.read)
puts JSON.generate(pairs.map { |a, b|
  next nil unless [a, b].all? { |v| Gem::Version.correct?(v) }
  Gem::Version.new(a) <=> Gem::Version.new(b)
})`

const part = fc.oneof(
  fc.nat({ max: 12 }).map(String),
  fc.constantFrom('a', 'b', 'B', 'rc1', 'pre', 'beta10', '0', '00', '01', '1a', ''),
)
const number = fc
  .tuple(
    fc.oneof(fc.nat({ max: 3 }).map(String), fc.constantFrom('v1', 'a', '')),
    fc.array(part, { maxLength: 4 }),
    fc.option(part),
  )
  .map(([first, rest, dash]) => [first, ...rest].join('.') + (dash === null ? '' : `-${dash}`))

it(...needing('reads and orders version numbers as the client does', ruby), () => {
  const pairs = fc
    .sample(fc.tuple(number, number), { numRuns: 8000, seed: 7 })
    .filter(([a, b]) => a !== '' && b !== '')
  const answers: (number | null)[] = JSON.parse(
    execFileSync('ruby', ['-e', oracle], { input: JSON.stringify(pairs), encoding: 'utf8' }),
  )
  const ours = pairs.map(([a, b]) =>
    parseVersionNumber(a) && parseVersionNumber(b) ? Math.sign(compareVersionNumbers(a, b)) : null,
  )
  const differences = pairs.flatMap((pair, at) =>
    ours[at] === answers[at] ? [] : [[...pair, ours[at], answers[at]]],
  )
  expect(differences).toEqual([])
  expect(answers.filter((answer) => answer !== null).length).toBeGreaterThan(1000)
})
