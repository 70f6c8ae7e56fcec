import fc from 'fast-check'

/**
 * One seed for every property, so that a change is judged by itself and not by luck: the same tests see the same data
 * until someone asks for other data with `PLINTH_SEED` (a number, or `random`). The runs that look for new counterexamples
 * are in CONTRIBUTING.
 */
const asked = process.env['PLINTH_SEED'] ?? '20261122'
if (asked !== 'random') {
  const seed = Number(asked)
  if (!Number.isInteger(seed))
    throw new Error(`PLINTH_SEED has to be a whole number or "random", not "${asked}"`)
  fc.configureGlobal({ seed })
}
