import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Env, unwrapStep } from '../../../src/kernel/index.ts'
import {
  builtInMounts,
  disableMount,
  enableMount,
  finishUpgrade,
  freshMounts,
  listMounts,
  type MountTable,
  mountFinder,
  moveMount,
  tuneMount,
} from '../../../src/secrets/mounts/index.ts'

let count = 0
const env: Env = { now: Date.UTC(2026, 0, 1), newId: (kind) => `${kind}-${++count}` }

const fresh = freshMounts(builtInMounts, env, () => 'abcd')

const enabled = (table: MountTable, path: string, type = 'kv', rest = {}): MountTable =>
  unwrapStep(enableMount(table, { path, type, accessorTail: 'efgh', ...rest }, env)).state

describe('a fresh namespace', () => {
  it('has the system, the token store and the cubbyhole', () => {
    expect(listMounts(fresh, 'secret').map(({ path }) => path)).toEqual(['cubbyhole/', 'identity/', 'sys/'])
    expect(listMounts(fresh, 'auth').map(({ path }) => path)).toEqual(['auth/token/'])
  })
})

describe('enabling', () => {
  it('puts a mount at a canonical path, nested or not', () => {
    const table = enabled(enabled(fresh, '/team/a/kv'), 'team/b/')
    expect(listMounts(table, 'secret').map(({ path }) => path)).toEqual([
      'cubbyhole/',
      'identity/',
      'sys/',
      'team/a/kv/',
      'team/b/',
    ])
    expect(table.mounts['team/b/']).toMatchObject({ type: 'kv', accessor: 'kv_efgh', options: null })
  })

  it('puts auth methods below auth/', () => {
    expect(enabled(fresh, 'auth/idp', 'idp').mounts['auth/idp/']).toMatchObject({ accessor: 'auth_idp_efgh' })
  })

  it.each([
    ['kv-v1', '1'],
    ['kv-v2', '2'],
  ])('knows %s as a version of kv', (type, version) => {
    expect(enabled(fresh, 'x', type).mounts['x/']).toMatchObject({ type: 'kv', options: { version } })
  })

  const taken = enabled(enabled(fresh, 'secret'), 'team/a')
  it.each([
    ['no type', { path: 'x', type: '' }, 'mount_type_missing', 'backend type must be specified as a string'],
    [
      'an unknown type',
      { path: 'x', type: 'pki' },
      'mount_type_unknown',
      'plugin not found in the catalog: pki',
    ],
    ['a type named constructor', { path: 'x', type: 'constructor' }, 'mount_type_unknown', /catalog/],
    ['an auth method outside auth/', { path: 'idp', type: 'idp' }, 'mount_type_unknown', /catalog/],
    ['an engine below auth/', { path: 'auth/x', type: 'kv' }, 'mount_type_unknown', /catalog/],
    ['a second token store', { path: 'auth/t', type: 'token' }, 'mount_type_unknown', /catalog/],
    [
      'a path in use',
      { path: 'secret', type: 'kv' },
      'mount_path_taken',
      'path is already in use at secret/',
    ],
    [
      'a path within a mount',
      { path: 'secret/sub', type: 'kv' },
      'mount_path_taken',
      'path is already in use at secret/',
    ],
    [
      'a path around a mount',
      { path: 'team', type: 'kv' },
      'mount_path_taken',
      'path is already in use at team/a/',
    ],
    ['a path of the system', { path: 'sys/x', type: 'kv' }, 'mount_path_protected', 'cannot mount "sys/x/"'],
    ['identity', { path: 'identity', type: 'kv' }, 'mount_path_protected', /cannot mount/],
    ['no path', { path: '', type: 'kv' }, 'mount_path_invalid', /name in each/],
    ['empty segments', { path: 'a//b', type: 'kv' }, 'mount_path_invalid', /name in each/],
    ['dots', { path: 'a/../b', type: 'kv' }, 'mount_path_invalid', /"\.\."/],
    ['wildcards', { path: 'a/*', type: 'kv' }, 'mount_path_invalid', /"\*"/],
    [
      'a longer default than maximum',
      { path: 'x', type: 'kv', defaultLeaseTtlSeconds: 9, maxLeaseTtlSeconds: 5 },
      'lease_ttl_order',
      'given default lease TTL greater than given max lease TTL',
    ],
    [
      'a default beyond the system',
      { path: 'x', type: 'kv', defaultLeaseTtlSeconds: 9_999_999 },
      'lease_ttl_order',
      /system max lease TTL of 2764800/,
    ],
    [
      'version 3',
      { path: 'x', type: 'kv', options: { version: '3' } },
      'mount_version_invalid',
      'invalid version provided: 3',
    ],
    [
      'a version of what has none',
      { path: 'auth/x', type: 'idp', options: { version: '2' } },
      'mount_version_invalid',
      /no versions/,
    ],
  ] as const)('refuses %s', (_, input, code, message) => {
    const outcome = enableMount(taken, { accessorTail: 'x', ...input }, env)
    expect(outcome.ok || outcome.refusal.code).toBe(code)
    expect(outcome.ok || outcome.refusal.message).toEqual(
      typeof message === 'string' ? message : expect.stringMatching(message),
    )
  })
})

describe('tuning', () => {
  const table = enabled(fresh, 'kv', 'kv', { defaultLeaseTtlSeconds: 60, maxLeaseTtlSeconds: 120 })

  it('changes what is said and keeps the rest', () => {
    const outcome = tuneMount(table, { path: 'kv', description: 'mine', maxLeaseTtlSeconds: 90 }, env)
    expect(outcome.ok && outcome.state.mounts['kv/']).toMatchObject({
      description: 'mine',
      defaultLeaseTtlSeconds: 60,
      maxLeaseTtlSeconds: 90,
    })
  })

  it('goes back to what the system says', () => {
    const outcome = tuneMount(table, { path: 'kv', maxLeaseTtlSeconds: 'system' }, env)
    expect(outcome.ok && outcome.state.mounts['kv/']?.maxLeaseTtlSeconds).toBe(0)
  })

  it('raises version 1 to 2: the mount is closed until its entries are rewritten', () => {
    const outcome = tuneMount(table, { path: 'kv', options: { version: '2' } }, env)
    expect(outcome.ok && outcome.value).toMatchObject({ upgrade: true, mount: { upgrading: true } })
    if (!outcome.ok) return
    const done = finishUpgrade(outcome.state, { id: outcome.value.mount.id })
    expect(done.ok && done.state.mounts['kv/']).toMatchObject({ upgrading: false, options: { version: '2' } })
  })

  it.each([
    ['an unknown mount', { path: 'nope' }, 'mount_not_found'],
    ['a downgrade', { path: 'two', options: { version: '1' } }, 'mount_version_downgrade'],
    ['a version there is not', { path: 'two', options: { version: '9' } }, 'mount_version_invalid'],
    ['times in the wrong order', { path: 'kv', maxLeaseTtlSeconds: 30 }, 'lease_ttl_order'],
  ] as const)('refuses %s', (_, input, code) => {
    const outcome = tuneMount(enabled(table, 'two', 'kv-v2'), input, env)
    expect(outcome.ok || outcome.refusal.code).toBe(code)
    if (!outcome.ok && code === 'mount_version_downgrade')
      expect(outcome.refusal.message).toBe('cannot downgrade mount from version 2')
  })
})

describe('moving', () => {
  const table = enabled(enabled(fresh, 'a'), 'b')

  it('keeps the mount and its accessor', () => {
    const outcome = moveMount(table, { from: 'a', to: 'deep/er' }, env)
    expect(outcome.ok && outcome.state.mounts['deep/er/']).toEqual({
      ...table.mounts['a/'],
      path: 'deep/er/',
    })
    expect(outcome.ok && outcome.state.mounts['a/']).toBeUndefined()
  })

  it('may go below its old path', () => {
    expect(moveMount(table, { from: 'a', to: 'a/b' }, env).ok).toBe(true)
  })

  it.each([
    ['nothing', { from: 'zz', to: 'x' }, 'mount_not_found'],
    ['the system', { from: 'sys', to: 'x' }, 'mount_fixed'],
    ['onto another', { from: 'a', to: 'b/c' }, 'mount_path_taken'],
    ['onto itself', { from: 'a', to: 'a' }, 'mount_path_taken'],
    ['below auth/', { from: 'a', to: 'auth/a' }, 'mount_role_change'],
    ['below sys/', { from: 'a', to: 'sys/a' }, 'mount_path_protected'],
  ])('refuses %s', (_, input, code) => {
    const outcome = moveMount(table, input, env)
    expect(outcome.ok || outcome.refusal.code).toBe(code)
  })
})

describe('disabling', () => {
  it('takes a mount away, and minds no free path', () => {
    const table = enabled(fresh, 'a')
    const gone = disableMount(table, { path: 'a/' }, env)
    expect(gone.ok && gone.value?.path).toBe('a/')
    expect(gone.ok && Object.keys(gone.state.mounts)).toEqual(Object.keys(fresh.mounts))
    const free = disableMount(table, { path: 'zz' }, env)
    expect(free.ok && free.state).toBe(table)
  })

  it('leaves what every namespace has', () => {
    const outcome = disableMount(fresh, { path: 'auth/token' }, env)
    expect(outcome.ok || outcome.refusal.message).toBe('cannot unmount "auth/token/"')
  })
})

describe('finding', () => {
  const find = mountFinder(enabled(enabled(fresh, 'a/b'), 'secret'))

  it.each([
    ['secret/data/x', 'secret/', 'data/x'],
    ['secret', 'secret/', ''],
    ['secret/', 'secret/', ''],
    ['a/b/c/d', 'a/b/', 'c/d'],
    ['a/b', 'a/b/', ''],
    ['auth/token/create', 'auth/token/', 'create'],
  ])('%s is in %s', (path, mount, rest) => {
    expect(find(path)).toMatchObject({ mount: { path: mount }, rest })
  })

  it.each(['', 'a', 'a/', 'a/c', 'secrets/x', 'auth', '__proto__/x', 'constructor'])(
    '%j is nowhere',
    (path) => {
      expect(find(path)).toBeUndefined()
    },
  )

  it('agrees with a search through all mounts', () => {
    const path = fc
      .array(fc.constantFrom('a', 'b', 'ab'), { minLength: 1, maxLength: 4 })
      .map((segments) => segments.join('/'))
    fc.assert(
      fc.property(fc.array(path, { maxLength: 6 }), path, (mounts, wanted) => {
        let table = fresh
        for (const at of mounts) {
          const outcome = enableMount(table, { path: at, type: 'kv', accessorTail: 'x' }, env)
          if (outcome.ok) table = outcome.state
        }
        const paths = Object.keys(table.mounts)
        // No mount is ever within another.
        for (const one of paths)
          for (const two of paths) expect(one !== two && two.startsWith(one)).toBe(false)
        expect(mountFinder(table)(wanted)?.mount.path).toBe(paths.find((at) => `${wanted}/`.startsWith(at)))
      }),
    )
  })
})
