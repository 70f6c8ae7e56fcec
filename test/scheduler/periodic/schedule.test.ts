import { describe, expect, it } from 'vitest'
import { nextLaunch, scheduleProblems } from '../../../src/scheduler/index.ts'

const schedule = (Spec: string, TimeZone = 'UTC') => ({ Spec, Specs: null, SpecType: 'cron', TimeZone })
const at = (text: string) => Date.parse(text)
const next = (spec: string, after: string, zone?: string) => {
  const found = nextLaunch(schedule(spec, zone), at(after))
  return found === undefined ? undefined : new Date(found).toISOString().replace('.000Z', 'Z')
}

describe('the next launch of a schedule', () => {
  it.each([
    // 2026-01-01 is a Thursday.
    ['* * * * *', '2026-01-01T00:00:00Z', '2026-01-01T00:01:00Z'],
    ['* * * * *', '2026-01-01T00:00:59.999Z', '2026-01-01T00:01:00Z'],
    ['*/15 * * * *', '2026-01-01T00:46:00Z', '2026-01-01T01:00:00Z'],
    ['5/20 * * * *', '2026-01-01T00:06:00Z', '2026-01-01T00:25:00Z'],
    ['0 3 * * *', '2026-01-01T03:00:00Z', '2026-01-02T03:00:00Z'],
    ['0 0 1,15 * *', '2026-01-02T00:00:00Z', '2026-01-15T00:00:00Z'],
    ['30 9-17/4 * * *', '2026-01-01T10:00:00Z', '2026-01-01T13:30:00Z'],
    ['0 0 * jan-mar,DEC *', '2026-04-01T00:00:00Z', '2026-12-01T00:00:00Z'],
    ['0 0 * September *', '2026-04-01T00:00:00Z', '2026-09-01T00:00:00Z'],
    ['0 0 29 2 *', '2026-01-01T00:00:00Z', '2028-02-29T00:00:00Z'],
    ['0 0 29 2 *', '2096-02-29T00:00:00Z', undefined],
    ['0 0 31 2 *', '2026-01-01T00:00:00Z', undefined],
    ['0 0 * * mon-fri', '2026-01-02T00:00:00Z', '2026-01-05T00:00:00Z'],
    ['0 0 * * 7', '2026-01-01T00:00:00Z', '2026-01-04T00:00:00Z'],
    ['0 0 * * 0', '2026-01-01T00:00:00Z', '2026-01-04T00:00:00Z'],
    ['0 0 * * fri-sun', '2026-01-03T00:00:00Z', '2026-01-04T00:00:00Z'],
    ['0 0 * * sun-mon', '2026-01-04T00:00:00Z', '2026-01-05T00:00:00Z'],
    ['0 0 * * 6-7', '2026-01-01T00:00:00Z', '2026-01-03T00:00:00Z'],
    // Both kinds of days restricted: either will do.
    ['0 0 13 * fri', '2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z'],
    ['0 0 13 * fri', '2026-01-09T00:00:00Z', '2026-01-13T00:00:00Z'],
    ['0 0 ? * fri', '2026-01-02T00:00:00Z', '2026-01-09T00:00:00Z'],
    ['0 0 L * *', '2026-02-01T00:00:00Z', '2026-02-28T00:00:00Z'],
    ['0 0 LW * *', '2026-01-01T00:00:00Z', '2026-01-30T00:00:00Z'],
    ['0 0 15W * *', '2026-02-01T00:00:00Z', '2026-02-16T00:00:00Z'],
    ['0 0 1W * *', '2026-08-01T00:00:00Z', '2026-08-03T00:00:00Z'],
    ['0 0 * * 5L', '2026-01-01T00:00:00Z', '2026-01-30T00:00:00Z'],
    ['0 0 * * tue#2', '2026-01-01T00:00:00Z', '2026-01-13T00:00:00Z'],
    ['0 12 * * * 2030', '2026-01-01T00:00:00Z', '2030-01-01T12:00:00Z'],
    ['0 12 * * * 2020', '2026-01-01T00:00:00Z', undefined],
    ['*/20 * * * * * *', '2026-01-01T00:00:25Z', '2026-01-01T00:00:40Z'],
    ['@hourly', '2026-01-01T00:00:00Z', '2026-01-01T01:00:00Z'],
    [' @Daily ', '2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z'],
    ['@weekly', '2026-01-01T00:00:00Z', '2026-01-04T00:00:00Z'],
    ['@monthly', '2026-01-01T00:00:00Z', '2026-02-01T00:00:00Z'],
    ['@yearly', '2026-01-01T00:00:00Z', '2027-01-01T00:00:00Z'],
    ['@annually', '2026-01-01T00:00:00Z', '2027-01-01T00:00:00Z'],
  ])('of %s after %s is %s', (spec, after, expected) => {
    expect(next(spec, after)).toBe(expected)
  })

  it.each([
    ['in winter', '30 2 * * *', '2026-01-01T00:00:00Z', 'Europe/Berlin', '2026-01-01T01:30:00Z'],
    ['in summer', '30 2 * * *', '2026-07-01T01:00:00Z', 'Europe/Berlin', '2026-07-02T00:30:00Z'],
    [
      'is skipped with the hour',
      '30 2 * * *',
      '2026-03-28T12:00:00Z',
      'Europe/Berlin',
      '2026-03-30T00:30:00Z',
    ],
    ['comes twice', '30 2 * * *', '2026-10-25T00:30:00Z', 'Europe/Berlin', '2026-10-25T01:30:00Z'],
    ['every hour all the same', '0 * * * *', '2026-03-29T00:30:00Z', 'Europe/Berlin', '2026-03-29T01:00:00Z'],
    ['half hours', '0 0 * * *', '2026-01-01T00:00:00Z', 'Asia/Kolkata', '2026-01-01T18:30:00Z'],
    [
      'half an hour back',
      '45 1 * * *',
      '2026-04-04T14:50:00Z',
      'Australia/Lord_Howe',
      '2026-04-04T15:15:00Z',
    ],
    ['midnight twice', '30 0 * * *', '2026-11-01T04:30:00Z', 'America/Havana', '2026-11-01T05:30:00Z'],
    ['a day that never was', '0 12 30 12 *', '2011-12-29T00:00:00Z', 'Pacific/Apia', '2012-12-29T22:00:00Z'],
  ])('follows the clocks of its time zone: %s', (_what, spec, after, zone, expected) => {
    expect(next(spec, after, zone)).toBe(expected)
  })

  it('is that of the earliest of several expressions', () => {
    const config = { Spec: '', Specs: ['0 12 * * *', '0 6 * * *'], SpecType: 'cron', TimeZone: 'UTC' }
    expect(nextLaunch(config, at('2026-01-01T00:00:00Z'))).toBe(at('2026-01-01T06:00:00Z'))
    expect(nextLaunch(config, at('2026-01-01T06:00:00Z'))).toBe(at('2026-01-01T12:00:00Z'))
  })

  it.each([
    ['no expression', schedule('')],
    ['a broken one', schedule('every day')],
    ['an unknown zone', schedule('* * * * *', 'Mars/Olympus')],
    ['another type', { ...schedule('* * * * *'), SpecType: 'sundial' }],
  ])('does not exist for %s', (_what, broken) => {
    expect(nextLaunch(broken, 0)).toBeUndefined()
  })
})

describe('a schedule that cannot be kept', () => {
  const config = (over: object) => ({
    Enabled: true,
    Spec: '* * * * *',
    Specs: null,
    SpecType: 'cron',
    ProhibitOverlap: false,
    TimeZone: 'UTC',
    ...over,
  })
  it.each([
    [{ Spec: '' }, ['Must specify a spec']],
    [{ Spec: '', Specs: [] }, ['Must specify a spec']],
    [{ Spec: '', Specs: ['@daily', ' '] }, ['Must specify a spec']],
    [{ Specs: ['@daily'] }, ['Only one of Spec and Specs may be given']],
    [{ Spec: '', Specs: Array(33).fill('@daily') }, ['Specs has more than 32 expressions']],
    [{ TimeZone: 'Mars/Olympus' }, ['Invalid time zone "Mars/Olympus"']],
    [{ SpecType: 'sundial' }, ['Unknown periodic specification type "sundial"']],
    [{ Spec: '@reboot' }, ['Invalid cron spec "@reboot": missing field(s)']],
    [{ Spec: '* * * *' }, ['Invalid cron spec "* * * *": missing field(s)']],
    [{ Spec: '* * * * * * * *' }, ['Invalid cron spec "* * * * * * * *": more than seven fields']],
    [{ Spec: '60 * * * *' }, [`Invalid cron spec "60 * * * *": syntax error in minute field: '60'`]],
    [{ Spec: '* * 0 * *' }, [`Invalid cron spec "* * 0 * *": syntax error in day-of-month field: '0'`]],
    [{ Spec: '* * * * 8' }, [`Invalid cron spec "* * * * 8": syntax error in day-of-week field: '8'`]],
    [{ Spec: '* * * j *' }, [`Invalid cron spec "* * * j *": syntax error in month field: 'j'`]],
    [{ Spec: '*/0 * * * *' }, ['Invalid cron spec "*/0 * * * *": invalid interval */0 in minute field']],
    [{ Spec: '*/60 * * * *' }, ['Invalid cron spec "*/60 * * * *": invalid interval */60 in minute field']],
    [
      { Spec: '9-5 * * * *' },
      ['Invalid cron spec "9-5 * * * *": the range 9-5 in minute field ends before it begins'],
    ],
    [{ Spec: '1,,2 * * * *' }, [`Invalid cron spec "1,,2 * * * *": syntax error in minute field: ''`]],
  ])('%j says so', (over, problems) => {
    expect(scheduleProblems(config(over))).toEqual(problems)
  })

  it('may say anything while it is switched off', () => {
    expect(scheduleProblems(config({ Enabled: false, Spec: 'whenever' }))).toEqual([])
  })
})
