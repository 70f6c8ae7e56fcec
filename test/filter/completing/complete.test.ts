import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { readerFor } from '../../../src/filter/completing/expected.ts'
import { check, complete, describeFields, parse } from '../../../src/filter/index.ts'

const Job = z.object({
  Status: z.enum(['running', 'dead']),
  Name: z.string(),
  Count: z.int(),
  Limit: z.number(),
  Live: z.boolean(),
  SubmitTime: z.iso.datetime(),
  Tags: z.array(z.enum(['web', 'db'])),
  Disks: z.array(z.object({ SizeGB: z.int(), Kind: z.enum(['ssd', 'hdd']) })),
  Meta: z.record(z.string(), z.string()),
})
const parameters = { since: 'time' } as const

/** What is offered at the bar. */
const at = (marked: string, options: Parameters<typeof complete>[2] = { schema: Job, parameters }) => {
  const cursor = marked.indexOf('|')
  return complete(marked.replace('|', ''), cursor, options)
}
const texts = (marked: string, options?: Parameters<typeof complete>[2]) =>
  at(marked, options).options.map(({ text }) => text)

describe('completing a filter expression', () => {
  it('offers the fields that begin with what is typed, and replaces the word', () => {
    expect(at('Sta|')).toEqual({
      from: 0,
      to: 3,
      options: [{ text: 'Status', kind: 'field', detail: 'string' }],
    })
    expect(at('Sta|tus == "dead"')).toMatchObject({ from: 0, to: 6 })
    expect(texts('Live and Disks.|')).toEqual(['Disks.SizeGB', 'Disks.Kind'])
  })

  it('offers the operators that the kind of the field takes', () => {
    expect(texts('Count |')).toContain('between')
    expect(texts('Count |')).not.toContain('matches')
    expect(texts('Name |')).toContain('starts with')
    expect(texts('Name |')).not.toContain('<')
    expect(texts('Tags is not |')).toEqual(['is not empty', 'is not nil'])
    expect(at('Name not st|')).toEqual({
      from: 5,
      to: 11,
      options: [{ text: 'not starts with', kind: 'operator' }],
    })
    expect(texts('count Tags |')).toEqual(['==', '!=', '<', '<=', '>', '>='])
    expect(texts('Count <|')).toEqual(['<', '<='])
  })

  it('offers the values that a field may have', () => {
    expect(texts('Status == |')).toEqual(['"running"', '"dead"'])
    expect(at('Status == "r|"')).toEqual({
      from: 10,
      to: 13,
      options: [{ text: '"running"', kind: 'value' }],
    })
    expect(texts('Status in ["running", |')).toEqual(['"running"', '"dead"'])
    expect(texts('Live == |')).toEqual(['true', 'false'])
    expect(texts('Tags contains w|')).toEqual(['"web"'])
    expect(texts('Name matches |')).toEqual([])
  })

  it('offers connectives behind a whole comparison, and behind a boolean field', () => {
    expect(texts('Count > 3 |')).toEqual(['and', 'or'])
    expect(texts('Name == "a" i|')).toEqual(['ignoring case'])
    expect(texts('Live a|').at(0)).toBe('and')
    expect(texts('not (Count > 3 |')).toEqual(['and', 'or'])
  })

  it('offers quantifiers, what they go through, the names they give and what lies below', () => {
    expect(texts('a|')).toEqual(expect.arrayContaining(['any', 'all']))
    expect(texts('any |')).toEqual(['Tags', 'Disks', 'Meta', 'not'])
    expect(texts('any Disks as d { |').slice(0, 3)).toEqual(['d', 'd.SizeGB', 'd.Kind'])
    expect(texts('any Disks as d { d.K|')).toEqual(['d.Kind'])
    expect(texts('any Disks as d { d.Kind == |')).toEqual(['"ssd"', '"hdd"'])
    expect(texts('any Tags as t { t == |')).toEqual(['"web"', '"db"'])
    expect(texts('any Disks { @.S|')).toEqual(['@.SizeGB'])
    expect(texts('any Disks as Count { Count.|')).toEqual(['Count.SizeGB', 'Count.Kind'])
    // What is being named has no completion.
    expect(texts('any Disks as |')).toEqual([])
  })

  it('offers functions, parameters and other fields where they may stand', () => {
    expect(at('SubmitTime > |').options).toMatchObject([
      { text: 'now', kind: 'function' },
      { text: '$since', kind: 'parameter', detail: 'time' },
    ])
    expect(texts('SubmitTime > $|')).toEqual(['$since'])
    expect(texts('co|')).toEqual(['Count', 'count'])
    expect(texts('Count > @|')).toEqual(['@Count', '@Limit', '@Disks.SizeGB'])
  })

  it('takes a mistake in front for what it is and goes on behind it', () => {
    expect(texts('Status = "x" and Coun|')).toEqual(['Count', 'count'])
    expect(texts('Foo ~ 3 or any Disks as d { d.K|')).toEqual(['d.Kind'])
  })

  it('offers nothing that the dialect does not have', () => {
    const bexpr = { schema: Job, dialect: 'bexpr' } as const
    expect(texts('Count |', bexpr)).toEqual(['==', '!='])
    expect(texts('SubmitTime == |', bexpr)).toEqual([])
    expect(texts('n|', bexpr)).not.toContain('none')
  })

  it('knows the language without any field', () => {
    expect(texts('Anything |', {})).toContain('matches')
    expect(texts('|', {})).toEqual(['not', 'any', 'all', 'none', 'count'])
  })

  it('refuses a cursor outside of the text and an option there is not', () => {
    expect(() => complete('abc', 4)).toThrow('cursor is a whole number from 0 to 3, not 4')
    expect(() => complete('abc', 1, { schemas: Job } as never)).toThrow('did you mean schema?')
  })

  const whole = fc.constantFrom(
    'Status == "running" and Count > 3',
    'not (Live or Name starts with "web") and Tags contains "db" ignoring case',
    'any Disks as d { d.SizeGB > 100 and (d.Kind == "ssd" or count Tags > 2) } or Live',
    'none Disks { @.SizeGB > 3 } and SubmitTime > now - 1h',
    'Status in ["running", "dead"] and "x" not in Name or Count between 1 and @Limit',
    'all Meta as key, value { key == "a" and value is not empty }',
  )
  const cut = whole.chain((text) => fc.nat(text.length).map((cursor) => ({ text, cursor })))

  it('lets reading go on behind every option, wherever the cursor stands', () => {
    const { expectedAfter } = readerFor(false)
    fc.assert(
      fc.property(cut, ({ text, cursor }) => {
        const { from, to, options } = complete(text, cursor, { schema: Job, parameters })
        expect(from).toBeLessThanOrEqual(cursor)
        expect(to).toBeGreaterThanOrEqual(cursor)
        for (const option of options) {
          const taken = `${text.slice(0, from)}${option.text} `
          expect(expectedAfter(taken), taken).toBeDefined()
        }
      }),
    )
  })

  it('is found by its first letters: every field, where an operand begins', () => {
    for (const { selector } of describeFields(Job)) {
      for (let typed = 0; typed <= selector.length; typed += 1)
        expect(texts(`Count > 3 and ${selector.slice(0, typed)}|`)).toContain(selector)
    }
  })

  it('answers for any text at all', () => {
    const pieces = fc.constantFrom(
      'Status',
      '==',
      '"',
      '`',
      '(',
      '{',
      '[',
      '@',
      '$',
      ' ',
      'any',
      'not',
      '}',
      '1',
      '.',
    )
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 12 }), fc.nat(), (parts, place) => {
        const text = parts.join('')
        expect(complete(text, place % (text.length + 1), { schema: Job }).options).toBeInstanceOf(Array)
      }),
    )
  })

  it('takes time in proportion to the text, whatever stands before the cursor', () => {
    for (const word of ['a', 'a-', 'a["', '.a', 'not ', '='])
      expect(texts(`${word.repeat(300_000 / word.length)}|`)).toEqual(expect.any(Array))
  })

  it('leads from nothing to a whole expression', () => {
    const steps = [/^Status$/, /^==$/, /^"dead"$/, /^and$/, /^count$/, /^Tags$/, /^>=$/]
    let text = ''
    for (const step of steps) {
      const { from, options } = complete(text, text.length, { schema: Job })
      const taken = options.find((option) => step.test(option.text))
      expect(taken, `${step} in ${text}`).toBeDefined()
      text = `${text.slice(0, from)}${taken?.text} `
    }
    expect(() => parse(`${text}2`)).not.toThrow()
    expect(check(`${text}2`, Job)).toEqual([])
  })
})
