import { describe, expect, it } from 'vitest'
import type { Env } from '../../../src/kernel/index.ts'
import {
  configureKv,
  defaultConfig,
  deleteVersions,
  destroyVersions,
  type KvConfig,
  patchSecret,
  readSecret,
  type Secret,
  statusOf,
  undeleteVersions,
  upgradeEntry,
  versionLifecycle,
  writeMetadata,
  writeSecret,
} from '../../../src/secrets/kv.ts'

const start = Date.UTC(2026, 0, 1)
const at = (seconds: number): Env => ({ now: start + seconds * 1000, newId: (kind) => `${kind}-1` })
const env = at(0)

/** The secret after `count` writes, one second apart. */
const written = (count: number, config: KvConfig = defaultConfig, from?: Secret): Secret => {
  let secret = from
  for (let turn = 0; turn < count; turn += 1) {
    const outcome = writeSecret(secret, {}, at(turn), config)
    if (!outcome.ok) throw new Error(outcome.refusal.message)
    secret = outcome.state
  }
  if (secret === undefined) throw new Error('nothing was written')
  return secret
}

const stateOf = (
  outcome:
    | { readonly ok: true; readonly state: Secret | undefined }
    | { readonly ok: false; readonly refusal: { readonly message: string } },
): Secret => {
  if (!outcome.ok) throw new Error(outcome.refusal.message)
  if (outcome.state === undefined) throw new Error('no secret')
  return outcome.state
}

describe('writing', () => {
  it('numbers versions from 1 and leaves the state it was given alone', () => {
    const first = written(1)
    const second = written(1, defaultConfig, first)
    expect(first.current).toBe(1)
    expect(second.current).toBe(2)
    expect(Object.keys(second.versions)).toEqual(['1', '2'])
  })

  it('says what happened without a word of the data', () => {
    const outcome = writeSecret(undefined, {}, env, defaultConfig)
    expect(outcome.ok && outcome.events).toEqual([{ type: 'kv.written', version: 1 }])
  })

  it('gives a path that is written again another incarnation', () => {
    let count = 0
    const counting: Env = { now: start, newId: () => `id-${++count}` }
    const first = stateOf(writeSecret(undefined, {}, counting, defaultConfig))
    const second = stateOf(writeSecret(undefined, {}, counting, defaultConfig))
    expect(first.incarnation).not.toBe(second.incarnation)
  })
})

describe('check-and-set', () => {
  it.each([
    ['an absent secret with 0', undefined, 0, true],
    ['an absent secret with 1', undefined, 1, false],
    ['a written secret with its version', written(3), 3, true],
    ['a written secret with an older version', written(3), 2, false],
    ['a written secret with 0', written(3), 0, false],
    [
      'a secret of metadata only with 0',
      stateOf(writeMetadata(undefined, { maxVersions: 3 }, env, defaultConfig)),
      0,
      true,
    ],
    ['a deleted secret with 0', stateOf(deleteVersions(written(2), { versions: 'current' }, env)), 0, false],
    [
      'a deleted secret with its version',
      stateOf(deleteVersions(written(2), { versions: 'current' }, env)),
      2,
      true,
    ],
    ['a destroyed secret with 0', stateOf(destroyVersions(written(1), { versions: [1] }, env)), 0, false],
  ] as const)('%s', (_, secret, cas, ok) => {
    const outcome = writeSecret(secret, { cas }, env, defaultConfig)
    expect(outcome.ok).toBe(ok)
    if (!outcome.ok)
      expect(outcome.refusal).toMatchObject({
        code: 'cas_mismatch',
        message: 'check-and-set parameter did not match the current version',
        detail: { current: secret?.current ?? 0 },
      })
  })

  it.each([
    ['the mount', undefined, { ...defaultConfig, casRequired: true }],
    [
      'the secret',
      stateOf(writeMetadata(undefined, { casRequired: true }, env, defaultConfig)),
      defaultConfig,
    ],
  ])('is required when %s says so', (_, secret, config) => {
    const outcome = writeSecret(secret, {}, env, config)
    expect(outcome.ok || outcome.refusal).toEqual({
      code: 'cas_required',
      message: 'check-and-set parameter required for this call',
    })
    expect(writeSecret(secret, { cas: 0 }, env, config).ok).toBe(true)
  })
})

describe('pruning', () => {
  it.each([
    [9, 0, 9],
    [10, 1, 10],
    [11, 2, 10],
    [25, 16, 10],
  ])('after %d writes the oldest of ten kept versions is %d', (writes, oldest, kept) => {
    const secret = written(writes)
    expect(secret.oldest).toBe(oldest)
    expect(Object.keys(secret.versions)).toHaveLength(kept)
  })

  it('follows the larger of both limits: a secret cannot keep fewer than its mount says', () => {
    const config = { ...defaultConfig, maxVersions: 4 }
    const few = stateOf(writeMetadata(undefined, { maxVersions: 2 }, env, config))
    expect(Object.keys(written(9, config, few).versions)).toEqual(['6', '7', '8', '9'])
    const many = stateOf(writeMetadata(undefined, { maxVersions: 6 }, env, config))
    expect(Object.keys(written(9, config, many).versions)).toHaveLength(6)
  })

  it('happens with the next write after the limit was lowered, all together', () => {
    const ten = written(10)
    const lowered = stateOf(writeMetadata(ten, { maxVersions: 2 }, env, defaultConfig))
    expect(Object.keys(lowered.versions)).toHaveLength(10)
    const outcome = writeSecret(lowered, {}, env, defaultConfig)
    expect(outcome.ok && outcome.value.pruned).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9])
    expect(outcome.ok && outcome.state.oldest).toBe(10)
    expect(outcome.ok && Object.keys(outcome.state.versions)).toEqual(['10', '11'])
  })
})

describe('expiry', () => {
  it.each([
    ['neither says', 0, 0, null],
    ['the mount says', 3, 0, 3],
    ['the secret says', 0, 3, 3],
    ['the mount is shorter', 3, 6, 3],
    ['the secret is shorter', 6, 3, 3],
    ['the mount forbids it', -1, 3, null],
    ['the mount forbids it and the secret says nothing', -1, 0, null],
  ])('%s', (_, mount, own, hours) => {
    const config = { ...defaultConfig, deleteVersionAfterSeconds: mount > 0 ? mount * 3600 : mount }
    const secret = stateOf(
      writeMetadata(undefined, { deleteVersionAfterSeconds: own * 3600, maxVersions: 1 }, env, config),
    )
    const version = stateOf(writeSecret(secret, {}, env, config)).versions['1']
    expect(version?.expiresAt).toBe(hours === null ? null : start + hours * 3_600_000)
  })

  it('takes effect at its very instant, by the clock alone', () => {
    const secret = written(1, { ...defaultConfig, deleteVersionAfterSeconds: 60 })
    expect(readSecret(secret, 1, start + 59_999).kind).toBe('live')
    expect(readSecret(secret, 1, start + 60_000).kind).toBe('gone')
  })

  it('is not changed by a later setting', () => {
    const secret = written(1)
    const changed = stateOf(writeMetadata(secret, { deleteVersionAfterSeconds: 5 }, env, defaultConfig))
    expect(changed.versions['1']?.expiresAt).toBeNull()
  })
})

describe('the lifecycle of a version', () => {
  it('is one table', () => {
    expect(versionLifecycle).toEqual({
      live: { delete: 'deleted', undelete: 'live', destroy: 'destroyed' },
      deleted: { undelete: 'live', destroy: 'destroyed' },
      destroyed: {},
    })
  })

  it('soft-deletes now, also what was scheduled for later, and can be read again once undeleted', () => {
    const scheduled = written(1, { ...defaultConfig, deleteVersionAfterSeconds: 3600 })
    const deleted = stateOf(deleteVersions(scheduled, { versions: [1] }, at(5)))
    expect(deleted.versions['1']).toMatchObject({ deletedAt: start + 5000, expiresAt: null })
    expect(readSecret(deleted, 0, start + 5000).kind).toBe('gone')
    const back = stateOf(undeleteVersions(deleted, { versions: [1] }, at(6), defaultConfig))
    expect(readSecret(back, 0, start + 6000).kind).toBe('live')
  })

  it('does not delete twice: the first time stays', () => {
    const deleted = stateOf(deleteVersions(written(1), { versions: [1] }, at(5)))
    const again = deleteVersions(deleted, { versions: [1] }, at(9))
    expect(again.ok && again.state).toBe(deleted)
  })

  it('restarts the expiry when it undeletes, for live versions too', () => {
    const config = { ...defaultConfig, deleteVersionAfterSeconds: 60 }
    const secret = written(2, config)
    const expired = stateOf(undeleteVersions(secret, { versions: [1] }, at(100), config))
    expect(expired.versions['1']?.expiresAt).toBe(start + 160_000)
    const live = stateOf(undeleteVersions(secret, { versions: [2] }, at(30), config))
    expect(live.versions['2']?.expiresAt).toBe(start + 90_000)
  })

  it('ends with destruction: no way back, and the deletion time stays what it was', () => {
    const deleted = stateOf(deleteVersions(written(1), { versions: [1] }, at(5)))
    const destroyed = stateOf(destroyVersions(deleted, { versions: [1] }, at(6)))
    expect(destroyed.versions['1']).toMatchObject({ destroyed: true, deletedAt: start + 5000 })
    const back = undeleteVersions(destroyed, { versions: [1] }, at(7), defaultConfig)
    expect(back.ok && back.state).toBe(destroyed)
    expect(readSecret(destroyed, 1, start + 8000).kind).toBe('gone')
  })

  it('passes over versions that never were, and says which ones it moved', () => {
    const outcome = destroyVersions(written(2), { versions: [2, 2, 7, -1, 0] }, env)
    expect(outcome.ok && outcome.value).toEqual([2])
  })

  it.each([
    ['delete', deleteVersions(written(1), { versions: [] }, env), 'No version number provided'],
    [
      'undelete',
      undeleteVersions(written(1), { versions: [] }, env, defaultConfig),
      'No version number provided',
    ],
    ['destroy', destroyVersions(written(1), { versions: [] }, env), 'no version number provided'],
  ])('%s wants to know which', (_, outcome, message) => {
    expect(outcome.ok || outcome.refusal).toEqual({ code: 'no_versions', message })
  })

  it('says of every version what its status is', () => {
    const version = { createdAt: start, deletedAt: null, expiresAt: start + 10, destroyed: false }
    expect(statusOf(version, start + 9)).toBe('live')
    expect(statusOf(version, start + 10)).toBe('deleted')
    expect(statusOf({ ...version, destroyed: true }, start)).toBe('destroyed')
  })

  it('stays deleted when the clock is set back after a deletion', () => {
    const deleted = stateOf(deleteVersions(written(1), { versions: [1] }, at(5)))
    expect(readSecret(deleted, 0, start + 4999).kind).toBe('gone')
    expect(readSecret(deleted, 0, start - 86_400_000).kind).toBe('gone')
    const later = stateOf(writeSecret(deleted, {}, at(-60), defaultConfig))
    expect(readSecret(later, 1, start - 60_000).kind).toBe('gone')
    const again = deleteVersions(deleted, { versions: [1] }, at(1))
    expect(again.ok && again.state).toBe(deleted)
    const back = stateOf(undeleteVersions(deleted, { versions: [1] }, at(1), defaultConfig))
    expect(readSecret(back, 0, start + 1000).kind).toBe('live')
  })

  it('expires by the clock, and is read again when that was wrong', () => {
    const secret = written(1, { ...defaultConfig, deleteVersionAfterSeconds: 60 })
    expect(readSecret(secret, 1, start + 86_400_000).kind).toBe('gone')
    expect(readSecret(secret, 1, start + 1000).kind).toBe('live')
  })

  it('deleted after it had expired is gone permanently, with its expiry as the time', () => {
    const secret = written(1, { ...defaultConfig, deleteVersionAfterSeconds: 60 })
    const deleted = stateOf(deleteVersions(secret, { versions: [1] }, at(90)))
    expect(deleted.versions['1']).toMatchObject({ deletedAt: start + 60_000, expiresAt: null })
    expect(readSecret(deleted, 1, start + 1000).kind).toBe('gone')
  })
})

describe('reading', () => {
  it('finds the current version for 0 and less, pruned and future ones never', () => {
    const secret = written(12)
    expect(readSecret(secret, 0, start)).toMatchObject({ kind: 'live', version: { version: 12 } })
    expect(readSecret(secret, -3, start)).toMatchObject({ version: { version: 12 } })
    expect(readSecret(secret, 2, start)).toEqual({ kind: 'absent' })
    expect(readSecret(secret, 13, start)).toEqual({ kind: 'absent' })
    expect(readSecret(undefined, 0, start)).toEqual({ kind: 'absent' })
  })

  it('finds nothing in a secret of metadata only', () => {
    const secret = stateOf(writeMetadata(undefined, { customMetadata: { a: 'b' } }, env, defaultConfig))
    expect(readSecret(secret, 0, start)).toEqual({ kind: 'absent' })
  })
})

describe('patching', () => {
  const data = '{"user":"ada","n":12345678901234567890}'

  it('makes a new version of the merged data', () => {
    const outcome = patchSecret(written(1), { data, patch: '{"user":null,"x":1.0}' }, env, defaultConfig)
    expect(outcome.ok && outcome.value).toMatchObject({
      version: { version: 2 },
      data: '{"n":12345678901234567890,"x":1.0}',
    })
  })

  it.each([
    ['no secret', undefined, {}, 'secret_not_found'],
    ['no secret, with any cas', undefined, { cas: 7 }, 'secret_not_found'],
    ['a wrong cas', written(1), { cas: 7 }, 'cas_mismatch'],
    [
      'a wrong cas before a deleted version',
      stateOf(deleteVersions(written(1), { versions: [1] }, env)),
      { cas: 7 },
      'cas_mismatch',
    ],
    ['a deleted version', stateOf(deleteVersions(written(1), { versions: [1] }, env)), {}, 'version_gone'],
    [
      'a destroyed version',
      stateOf(destroyVersions(written(1), { versions: [1] }, env)),
      { cas: 1 },
      'version_gone',
    ],
  ] as const)('refuses %s', (_, secret, cas, code) => {
    const outcome = patchSecret(secret, { data, patch: '{}', ...cas }, env, defaultConfig)
    expect(outcome.ok || outcome.refusal.code).toBe(code)
  })
})

describe('settings of a mount', () => {
  it('keep what is left out, and give the same state back when nothing is said', () => {
    const config = { maxVersions: 3, casRequired: true, deleteVersionAfterSeconds: 60 }
    const same = configureKv(config, {}, env)
    expect(same.ok && same.state).toBe(config)
    const changed = configureKv(config, { maxVersions: 5 }, env)
    expect(changed.ok && changed.state).toEqual({ ...config, maxVersions: 5 })
  })

  it('know negative lifetimes as "never"', () => {
    const never = configureKv(defaultConfig, { deleteVersionAfterSeconds: -90 }, env)
    expect(never.ok && never.state.deleteVersionAfterSeconds).toBe(-1)
    const cleared = configureKv(never.ok ? never.state : defaultConfig, { deleteVersionAfterSeconds: 0 }, env)
    expect(cleared.ok && cleared.state.deleteVersionAfterSeconds).toBe(0)
  })
})

it('an unversioned entry becomes version 1, written at the upgrade', () => {
  expect(upgradeEntry(at(9), defaultConfig)).toMatchObject({
    current: 1,
    createdAt: start + 9000,
    versions: { '1': { createdAt: start + 9000, destroyed: false } },
  })
})
