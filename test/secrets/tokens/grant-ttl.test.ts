import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { grantTtl, type TtlRequest } from '../../../src/secrets/tokens/index.ts'

const h = 3600
const unset: TtlRequest = {
  incrementSeconds: 0,
  backendTtlSeconds: 0,
  backendMaxTtlSeconds: 0,
  periodSeconds: 0,
  explicitMaxTtlSeconds: 0,
  defaultTtlSeconds: 5 * h,
  maxTtlSeconds: 30 * h,
  startedAt: 0,
}
const grant = (asked: Partial<TtlRequest>, now = 0) => {
  const granted = grantTtl({ ...unset, ...asked }, now)
  return granted.ok ? [granted.value.ttlSeconds / h, granted.value.warnings.length] : granted.refusal.message
}

describe('how long anything lives', () => {
  it.each<[string, Partial<TtlRequest>, [number, number]]>([
    ['what is asked', { backendTtlSeconds: 30 * h, incrementSeconds: h }, [1, 0]],
    ['the mount default when nothing else is set', {}, [5, 0]],
    ['at most the mount maximum', { backendTtlSeconds: 40 * h, backendMaxTtlSeconds: 45 * h }, [30, 1]],
    [
      'what is asked, below every maximum',
      { backendTtlSeconds: 9 * h, backendMaxTtlSeconds: 5 * h, incrementSeconds: 4 * h },
      [4, 0],
    ],
    ['at most the method maximum', { incrementSeconds: 5 * h, backendMaxTtlSeconds: 4 * h }, [4, 1]],
    ['the default where less than nothing is asked', { incrementSeconds: -7 * h }, [5, 0]],
    [
      'the period, for any request',
      { periodSeconds: h, incrementSeconds: 3 * h, backendMaxTtlSeconds: 2 * h },
      [1, 0],
    ],
    ['a period capped by an explicit maximum', { periodSeconds: 2 * h, explicitMaxTtlSeconds: h }, [1, 1]],
    ['a period capped by the method maximum', { periodSeconds: 2 * h, backendMaxTtlSeconds: h }, [1, 1]],
  ])('is %s', (_, asked, expected) => {
    expect(grant(asked)).toEqual(expected)
  })

  it('counts maxima from the start of the life', () => {
    expect(grant({ incrementSeconds: 10 * h }, 25 * h * 1000)).toEqual([5, 1])
    expect(grant({}, 30 * h * 1000)).toBe('past the max TTL, cannot renew')
  })
  it('lets a periodic life go on past the maxima, but not past an explicit one', () => {
    expect(grant({ periodSeconds: h }, 1000 * h * 1000)).toEqual([1, 0])
    expect(grant({ periodSeconds: h, explicitMaxTtlSeconds: 2 * h }, 2 * h * 1000)).toMatch(/past the max/)
  })
  it('warns with the time that remains, without empty units', () => {
    const granted = grantTtl({ ...unset, incrementSeconds: 768 * h, explicitMaxTtlSeconds: 90 * 60 }, 0)
    expect(granted.ok && granted.value.warnings).toEqual([
      'TTL of "768h" exceeded the effective max_ttl of "1h30m"; TTL value is capped accordingly',
    ])
  })
  it('never grants past the end that an explicit maximum sets', () => {
    const seconds = fc.nat(100 * h)
    fc.assert(
      fc.property(
        seconds,
        seconds,
        seconds,
        seconds,
        fc.integer({ min: 1, max: 100 * h }),
        fc.nat(200 * h),
        (a, b, c, d, explicit, at) => {
          const granted = grantTtl(
            {
              ...unset,
              incrementSeconds: a,
              backendTtlSeconds: b,
              backendMaxTtlSeconds: c,
              periodSeconds: d,
              explicitMaxTtlSeconds: explicit,
            },
            at * 1000,
          )
          if (granted.ok) expect(at + granted.value.ttlSeconds).toBeLessThanOrEqual(explicit)
          else
            expect(at).toBeGreaterThanOrEqual(
              c > 0 && d === 0
                ? Math.min(c, explicit, 30 * h)
                : Math.min(explicit, d === 0 ? 30 * h : explicit),
            )
        },
      ),
    )
  })
})
