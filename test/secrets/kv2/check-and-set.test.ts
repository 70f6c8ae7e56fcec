import { expect, it } from 'vitest'
import { casProblem, defaultConfig } from '../../../src/secrets/kv.ts'

const free = { current: 3, casRequired: false }
const strict = { current: 3, casRequired: true }
const mandated = { ...defaultConfig, casRequired: true }

it.each([
  ['nothing is asked of a secret that does not require it', free, undefined, defaultConfig, undefined],
  ['the newest version is given', strict, 3, mandated, undefined],
  ['0 is given where there is nothing yet', undefined, 0, mandated, undefined],
  ['0 is given after the first version', free, 0, defaultConfig, 'cas_mismatch'],
  ['a version is given where there is nothing yet', undefined, 1, defaultConfig, 'cas_mismatch'],
  ['another version is given', free, 4, defaultConfig, 'cas_mismatch'],
  ['the secret requires it', strict, undefined, defaultConfig, 'cas_required'],
  ['its mount requires it', free, undefined, mandated, 'cas_required'],
  ['its mount requires it of the first version', undefined, undefined, mandated, 'cas_required'],
] as const)('where %s', (_case, secret, cas, config, code) => {
  expect(casProblem(secret, cas, config)?.refusal.code).toBe(code)
})

it('a mismatch tells the current version', () => {
  expect(casProblem(free, 2)?.refusal.detail).toEqual({ current: 3 })
})
