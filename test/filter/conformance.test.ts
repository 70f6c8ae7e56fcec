import { describe, expect, test } from 'vitest'
import { type CompileOptions, compile, type Dialect, FilterError } from '../../src/filter/index.ts'
import { caseFiles, type Datum, type GoCase } from './go-cases.ts'

const evaluators = ['closures', 'codegen'] as const

/** `unknown=X` and `max=N`, in the terms of our options. */
function optionsOf({ opt = '' }: GoCase): Pick<CompileOptions<unknown>, 'unknown' | 'limits'> {
  const [name, value = ''] = opt.split(/=(.*)/s)
  if (name === 'unknown') return { unknown: value }
  // The original's budget is of reading, in rules of its grammar; ours is the length.
  if (name === 'max') return { limits: { length: Number(value) / 16 } }
  return {}
}

function outcome(
  item: GoCase,
  datum: Datum,
  evaluator: (typeof evaluators)[number],
  dialect: Dialect = 'bexpr',
): boolean | string {
  try {
    const { value, ...kinds } = datum
    return compile(item.expr, { dialect, evaluator, ...kinds, ...optionsOf(item) }).test(value)
  } catch (error) {
    if (error instanceof FilterError) return error.kind
    throw error
  }
}

/** A panic of the original is a typed error here; a step budget need only refuse. */
function expected(item: GoCase): readonly (boolean | string)[] {
  if (item.opt?.startsWith('max=') && item.error_kind === 'parse') return ['limit', 'parse']
  if (item.error_kind !== undefined) return [item.error_kind === 'panic' ? 'type' : item.error_kind]
  return [item.result ?? false]
}

for (const { name, cases, datum } of caseFiles()) {
  describe.each(evaluators)(`${name}, %s`, (evaluator) => {
    for (const [index, item] of cases.entries()) {
      test(`#${index} ${item.expr.slice(0, 80)} on ${item.datum}${item.opt ? ` with ${item.opt}` : ''}`, () => {
        expect(expected(item)).toContain(outcome(item, datum(item.datum), evaluator))
      })
    }
  })
}

const [own] = caseFiles().filter(({ name }) => name === 'go-bexpr.json')
const unreadable = (own?.cases ?? []).filter((item) => item.error_kind === 'parse' && item.opt === undefined)

describe('a text that cannot be read is refused where the original refuses it', () => {
  test.each(unreadable.map(({ expr, error = '' }) => [expr, /^\d+:\d+/.exec(error)?.[0]]))(
    '%s at %s',
    (expr, place) => {
      try {
        compile(expr, { dialect: 'bexpr' })
      } catch (error) {
        if (!(error instanceof FilterError)) throw error
        expect(error.message.startsWith(`${place}: `)).toBe(true)
        return
      }
      expect.unreachable('it was read')
    },
  )
})

/** What `standard` answers otherwise than the original: the rows of the reference page's table of dialects. */
const parting: Readonly<Record<string, boolean | string>> = {
  'Live == true and(Rack == 12)': true,
  '(Live == true)and Rack == 12': true,
  'Name=="edge-07"and Rack == 12': true,
  'Name contains"edge"': true,
  'any Ports as x {x == 80}': true,
  'not any Tags as t { t == blue }': false,
  'any Tags as t { t == blue } and Live == true': true,
  'Rack > 5': true,
  'Disks.SizeGB == 20': true,
  'Tags.x == blue': 'not-indexable',
  'Disks.1.Mount == "/data"': true,
  'any Disks as i, d { i == 1 and d.Mount == "/data" }': true,
  'Name != "/edge-07"': true,
  'Labels.sl/ash == y': 'parse',
  '"" is empty': 'parse',
  'Labels.gone matches "("': 'regex',
  'Name == edge-07': true,
  Live: true,
  'not Live': false,
  'any Tags { t == 1 }': 'not-found',
}

test('the standard dialect parts from the original in the cases it means to, and in no others', () => {
  const found: Record<string, boolean | string> = {}
  for (const item of own?.cases ?? []) {
    const datum = own?.datum(item.datum)
    if (datum === undefined) continue
    const answer = outcome(item, datum, 'closures', 'standard')
    if (!expected(item).includes(answer)) found[item.expr] = answer
  }
  expect(found).toEqual(parting)
})
