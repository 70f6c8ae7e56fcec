import { describe, expect, it } from 'vitest'
import {
  customMetadataProblems,
  defaultConfig,
  patchMetadata,
  writeMetadata,
} from '../../../src/secrets/kv.ts'

const env = { now: Date.UTC(2026, 0, 1), newId: (kind: string) => `${kind}-1` }

const described = (customMetadata: Record<string, string>) => {
  const outcome = writeMetadata(undefined, { customMetadata }, env, defaultConfig)
  if (!outcome.ok || outcome.state === undefined) throw new Error('not written')
  return outcome.state
}

describe('writing metadata', () => {
  it('makes a secret without versions', () => {
    expect(described({ owner: 'ada' })).toMatchObject({
      current: 0,
      oldest: 0,
      versions: {},
      customMetadata: { owner: 'ada' },
    })
  })

  it('makes nothing when nothing is said', () => {
    const outcome = writeMetadata(undefined, {}, env, defaultConfig)
    expect(outcome).toMatchObject({ ok: true, state: undefined, events: [] })
  })

  it('replaces all notes', () => {
    const outcome = writeMetadata(
      described({ a: '1', b: '2' }),
      { customMetadata: { c: '3' } },
      env,
      defaultConfig,
    )
    expect(outcome.ok && outcome.state?.customMetadata).toEqual({ c: '3' })
  })

  it('warns when check-and-set is waived where the mount demands it', () => {
    const config = { ...defaultConfig, casRequired: true }
    const outcome = writeMetadata(undefined, { casRequired: false }, env, config)
    expect(outcome.ok && outcome.value.warnings).toHaveLength(1)
    expect(outcome.ok && outcome.state?.casRequired).toBe(false)
  })
})

describe('patching metadata', () => {
  it('merges notes; null removes one', () => {
    const outcome = patchMetadata(
      described({ a: '1', b: '2' }),
      { customMetadata: { a: null, c: '3' }, maxVersions: 7 },
      env,
      defaultConfig,
    )
    expect(outcome.ok && outcome.state).toMatchObject({ customMetadata: { b: '2', c: '3' }, maxVersions: 7 })
  })

  it('resets what is null', () => {
    const secret = {
      ...described({ a: '1' }),
      maxVersions: 5,
      casRequired: true,
      deleteVersionAfterSeconds: 9,
    }
    const outcome = patchMetadata(
      secret,
      { maxVersions: null, casRequired: null, deleteVersionAfterSeconds: null, customMetadata: null },
      env,
      defaultConfig,
    )
    expect(outcome.ok && outcome.state).toMatchObject({
      maxVersions: 0,
      casRequired: false,
      deleteVersionAfterSeconds: 0,
      customMetadata: null,
    })
  })

  it('needs a secret', () => {
    const outcome = patchMetadata(undefined, { maxVersions: 1 }, env, defaultConfig)
    expect(outcome.ok || outcome.refusal.code).toBe('secret_not_found')
  })

  it('knows a note by the name of __proto__ as a note', () => {
    const patch = { customMetadata: JSON.parse('{"__proto__":"mine"}') }
    const outcome = patchMetadata(described({ a: '1' }), patch, env, defaultConfig)
    const notes = outcome.ok ? outcome.state.customMetadata : null
    expect(Object.entries(notes ?? {})).toEqual([
      ['a', '1'],
      ['__proto__', 'mine'],
    ])
  })
})

describe('notes', () => {
  it.each([
    ['a plain one', { owner: 'Ada Lovelace' }, []],
    ['letters of any script', { 所有者: 'エイダ' }, []],
    ['an empty key', { '': 'x' }, ['length of key "" is 0 but must be greater than 0']],
    ['an empty value', { a: '' }, ['length of value for key "a" is 0 but must be greater than 0']],
    ['a long key, in bytes', { ['é'.repeat(65)]: 'x' }, [/^length of key .* is 130 but max allowed is 128$/]],
    [
      'a long value, in bytes',
      { a: 'é'.repeat(257) },
      ['length of value for key "a" is 514 but max allowed is 512'],
    ],
    [
      'a value that hides something',
      { a: 'x\u200by' },
      ['value for key "a" contains unprintable characters'],
    ],
    ['a line break', { 'a\nb': 'x' }, ['key "a\\nb" contains unprintable characters']],
    ['two faults at once', { '': 'x\u0000' }, [/key "" is 0/, /unprintable/]],
  ])('%s', (_, notes, problems) => {
    const found = customMetadataProblems(notes)
    expect(found).toHaveLength(problems.length)
    for (const [index, problem] of problems.entries()) expect(found[index]).toMatch(problem)
  })

  it('can be 64 and no more; beyond, nothing else is looked at', () => {
    const many = (count: number) => Object.fromEntries([...Array(count).keys()].map((n) => [`k${n}`, 'v']))
    expect(customMetadataProblems(many(64))).toEqual([])
    expect(customMetadataProblems({ ...many(64), '': '' })).toEqual([
      'payload must contain at most 64 keys, provided 65',
    ])
  })

  it('are refused with every fault in one text, and without their values', () => {
    const outcome = writeMetadata(
      undefined,
      { customMetadata: { a: '', b: '\u0001secret' } },
      env,
      defaultConfig,
    )
    expect(outcome.ok || outcome.refusal.message).toBe(
      '2 errors occurred:\n' +
        '\t* custom_metadata validation failed: length of value for key "a" is 0 but must be greater than 0\n' +
        '\t* custom_metadata validation failed: value for key "b" contains unprintable characters\n\n',
    )
    expect(JSON.stringify(outcome)).not.toContain('secret')
  })
})
