import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { lastMissed, nextLaunch, parseCron } from '../../../src/scheduler/index.ts'

/** A field as a set of values, all of them where there is none, and one of the texts that say it. */
interface Field {
  readonly text: string
  readonly values?: ReadonlySet<number>
}

const through = (from: number, to: number, step: number): readonly number[] =>
  Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, at) => from + at * step)

const field = (min: number, max: number, names: readonly string[] = []): fc.Arbitrary<Field> => {
  const value = fc.integer({ min, max })
  const spell = (one: number) => fc.constantFrom(String(one), names[one - min] ?? String(one))
  const entry = fc.oneof(
    value.chain((one) => spell(one).map((text) => ({ text, values: [one] as readonly number[] }))),
    fc.tuple(value, value, fc.integer({ min: 1, max: 6 })).chain(([a, b, step]) => {
      const [from, to] = [Math.min(a, b), Math.max(a, b)]
      return fc.tuple(spell(from), spell(to)).map(([low, high]) => ({
        text: `${low}-${high}${step === 1 ? '' : `/${step}`}`,
        values: through(from, to, step),
      }))
    }),
    fc.integer({ min: 2, max: 6 }).map((step) => ({ text: `*/${step}`, values: through(min, max, step) })),
  )
  const entries = fc.array(entry, { minLength: 1, maxLength: 3 }).map((some) => ({
    text: some.map(({ text }) => text).join(','),
    values: new Set(some.flatMap(({ values }) => values)),
  }))
  return fc.oneof({ weight: 2, arbitrary: fc.constant({ text: '*' }) }, { weight: 3, arbitrary: entries })
}

const fields = fc.record({
  minute: field(0, 59),
  hour: field(0, 23),
  day: field(1, 31),
  month: field(1, 12, 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ')),
  weekday: field(0, 6, 'sun mon tue wed thu fri sat'.split(' ')),
})
type Fields = typeof fields extends fc.Arbitrary<infer Value> ? Value : never
const scheduleOf = ({ minute, hour, day, month, weekday }: Fields, TimeZone: string) => ({
  Spec: [minute, hour, day, month, weekday].map(({ text }) => text).join(' '),
  Specs: null,
  SpecType: 'cron',
  TimeZone,
})

const zones = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'Australia/Lord_Howe',
  'Asia/Kathmandu',
  'America/Havana',
]
/** Days on which clocks are set somewhere, and others. */
const days =
  '2026-03-08 2026-03-29 2026-04-05 2026-10-04 2026-10-25 2026-11-01 2026-02-28 2026-12-31 2028-02-28'
const instant = fc
  .tuple(fc.constantFrom(...days.split(' ')), fc.integer({ min: -1440, max: 1440 }), fc.nat(59_999))
  .map(([day, minutes, ms]) => Date.parse(day) + minutes * 60_000 + ms)

const calendars = new Map(
  zones.map((timeZone) => [
    timeZone,
    new Intl.DateTimeFormat('en-GB', { timeZone, dateStyle: 'short', timeStyle: 'short' }),
  ]),
)

/** Whether people who look at their calendars and clocks see what the fields name. */
function shows(names: Fields, zone: string, time: number): boolean {
  const [day = 0, month = 0, year = 0, hour = 0, minute = 0] = (calendars.get(zone)?.format(time) ?? '')
    .split(/\D+/)
    .map(Number)
  const has = (which: keyof Fields, value: number) => names[which].values?.has(value) ?? true
  const byDay = has('day', day)
  const byWeekday = has('weekday', new Date(Date.UTC(year, month - 1, day)).getUTCDay())
  const either = names.day.values !== undefined && names.weekday.values !== undefined
  const isDay = either ? byDay || byWeekday : byDay && byWeekday
  return isDay && has('month', month) && has('hour', hour) && has('minute', minute)
}

const minute = 60_000
const walked = 2 * 1440

describe('every schedule', () => {
  it('is launched next at the first minute that its clocks name', () => {
    fc.assert(
      fc.property(fields, fc.constantFrom(...zones), instant, (names, zone, after) => {
        const found = nextLaunch(scheduleOf(names, zone), after)
        const first = Math.floor(after / minute) * minute + minute
        let step = 0
        while (step < walked && !shows(names, zone, first + step * minute)) step += 1
        if (step < walked) expect(found).toBe(first + step * minute)
        else expect(found ?? Number.POSITIVE_INFINITY).toBeGreaterThanOrEqual(first + walked * minute)
        if (found !== undefined) expect(shows(names, zone, found)).toBe(true)
      }),
      { numRuns: 150 },
    )
  })

  it('was missed last at the last of the launches in between', () => {
    fc.assert(
      fc.property(
        fields,
        fc.constantFrom(...zones),
        instant,
        fc.nat(400 * minute),
        (names, zone, after, ms) => {
          const schedule = scheduleOf(names, zone)
          let last: number | undefined
          let next = nextLaunch(schedule, after)
          while (next !== undefined && next <= after + ms) {
            last = next
            next = nextLaunch(schedule, next)
          }
          expect(lastMissed(schedule, after, after + ms)).toBe(last)
        },
      ),
      { numRuns: 100 },
    )
  })

  it('is read or refused, for any text', () => {
    const word = fc.oneof(
      fc.string({ maxLength: 6 }),
      fc.stringMatching(/^[*?0-9a-zLW#/,-]{1,8}$/),
      fc.constantFrom('*', '1-5', '*/0', '99', '5-1', 'l', 'lw', '0w', '8#9', ',', '-', '/'),
    )
    fc.assert(
      fc.property(fc.array(word, { maxLength: 9 }), (words) => {
        const read = parseCron(words.join(' '))
        if (!read.ok) expect(read.problem).not.toBe('')
      }),
    )
  })
})
