import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatDuration, parseDuration, parseTtlSeconds } from '../../src/kernel/index.ts'

describe('durations in Go syntax', () => {
  it.each([
    ['1h30m', 5_400_000],
    ['1.5s', 1500],
    ['300ms', 300],
    ['-5m', -300_000],
    ['+1s', 1000],
    ['0', 0],
    ['.5s', 500],
    ['5.s', 5000],
    ['1µs', 0.001],
    ['1us', 0.001],
    ['100ns', 0.0001],
  ])('reads %s', (text, ms) => expect(parseDuration(text)).toBeCloseTo(ms, 9))

  it.each(['', '10', '1d', '1w', 's', '1h 30m', '1x', '--1s', '1e3s', ' 1s', '.s', '9999999999999h'])(
    'refuses %j',
    (text) => expect(parseDuration(text)).toBeUndefined(),
  )

  it.each([
    [0, '0s'],
    [5_400_000, '1h30m0s'],
    [90_000, '1m30s'],
    [1500, '1.5s'],
    [300, '300ms'],
    [-1000, '-1s'],
    [0.5, '500µs'],
    [0.0001, '100ns'],
  ])('writes %d ms as Go does', (ms, text) => expect(formatDuration(ms)).toBe(text))

  it('reads back what it writes', () => {
    fc.assert(
      fc.property(fc.integer({ min: -1e12, max: 1e12 }), (ms) => parseDuration(formatDuration(ms)) === ms),
    )
  })
})

describe('times-to-live of the secrets service', () => {
  it.each([
    [90, 90],
    ['90', 90],
    ['', 0],
    ['2d', 172_800],
    ['1h30m', 5400],
    ['500ms', 0],
    ['-7h', -25_200],
    [1.9, 1],
  ])('reads %j as %d seconds', (value, seconds) => expect(parseTtlSeconds(value)).toBe(seconds))

  it.each(['1d12h', '1.5d', '1w', 'soon', '99999999999d', Number.NaN, Number.POSITIVE_INFINITY])(
    'refuses %j',
    (value) => expect(parseTtlSeconds(value)).toBeUndefined(),
  )
})

describe('durations at the edges', () => {
  it('are never -0, which is no JSON', () => expect(parseDuration('-0s')).toBe(0))
  it.each([
    [59_999.999_999_9, '1m0s'],
    [3_599_999.999_999_9, '1h0m0s'],
    [999.999_999_9, '1s'],
    [0.999_999_9, '1ms'],
    [1e-7, '0s'],
  ])('%d ms, rounded to nanoseconds, is %s', (ms, text) => expect(formatDuration(ms)).toBe(text))
})
