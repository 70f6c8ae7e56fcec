import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readHcl, readingHcl } from '../../src/hcl/index.ts'

/** What the steps come to, and how many they are. */
function inSteps(text: string) {
  const work = readingHcl(text)
  for (let steps = 1; ; steps += 1) {
    const step = work.next()
    if (step.done === true) return { steps, read: step.value }
  }
}

const block = (at: number) => `path "secret/data/team-${at}/*" {\n  capabilities = ["read", "list"]\n}\n`
const blocks = (count: number) => Array.from({ length: count }, (_, at) => block(at)).join('')

/** Texts that stand between blocks, some of them cut where they make no sense, or wrong. */
const between = fc.constantFrom(
  '',
  '\n\n# a comment\n',
  '/* a comment\n}\nof lines */',
  'note = <<END\n}\nEND\n',
  'note "a" { text = <<END\n}\npath "x" { }\nEND\n}\n',
  'one = {\n}\n',
  'list "a" { of = [{\n}\n, 2]\n}\n',
  '}\n',
  '{ "path": {\n}\n}\n',
  '/* never closed\n}\n',
  'text = <<END\n}\n',
  'path "a" { text = "not closed }\n',
  '\uFEFF',
  'path "a" {\r\n}\r\n',
  'path "a" { b = 1 } # }\n',
  'path "a" { # }\n}\n',
)

describe('a long text that is read in steps', () => {
  it('is what it is when read at once, right or wrong', () => {
    const text = fc
      .array(fc.tuple(between, fc.integer({ min: 0, max: 90 })), { minLength: 1, maxLength: 6 })
      .map((parts) => parts.map(([odd, count]) => odd + blocks(count)).join(''))
    fc.assert(
      fc.property(text, (written) => {
        expect(inSteps(written).read).toEqual(readHcl(written))
      }),
    )
  })
  it('takes a step for every few blocks', () => {
    const { steps, read } = inSteps(blocks(1000))
    expect(read.ok).toBe(true)
    expect(steps).toBeGreaterThan(10)
  })
  it('takes steps for blocks of one line each, too', () => {
    const line = 'path "a/+/b" { capabilities = ["read"] }\n'
    const { steps, read } = inSteps(line.repeat(1000))
    expect(read).toEqual(readHcl(line.repeat(1000)))
    expect(steps).toBeGreaterThan(8)
  })
  it('gives no name twice, however far apart', () => {
    const { read } = inSteps(`one = {\n}\n${blocks(300)}one = {\n}\n`)
    expect(read.ok || read.refusal.message).toMatch(
      /^line 903, column 1: "one" is given twice, first at line 1/,
    )
  })
  it('has its mistakes named by their lines', () => {
    const { read } = inSteps(`${blocks(500)}path "x" { capabilities = }\n${blocks(500)}`)
    expect(read.ok || read.refusal.message).toMatch(/^line 1501, column 27: expected /)
  })
})
