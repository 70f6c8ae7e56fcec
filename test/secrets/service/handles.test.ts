import { describe, expect, it } from 'vitest'
import { unwrap } from '../../../src/kernel/index.ts'
import { createSecrets, devSecrets } from '../../../src/secrets/index.ts'
import { testClock } from '../../../src/testing/index.ts'

const nested = (levels: number): Record<string, unknown> => {
  let value: Record<string, unknown> = {}
  for (let level = 0; level < levels; level += 1) value = { a: value }
  return value
}

describe('secrets by typed methods', () => {
  it('keep the digits of what is given as text', async () => {
    const { service } = await devSecrets()
    await service.kv().write('x', ' {"n": 12345678901234567890} ')
    const read = await service.kv().read('x')
    expect(read).toMatchObject({ ok: true, value: { kind: 'live', json: '{"n":12345678901234567890}' } })
  })

  it.each([
    ['text that is no JSON', '{"password":"hunter2"', 'data_not_a_map'],
    ['text of a list', '["hunter2"]', 'data_not_a_map'],
    ['no text', '', 'data_not_a_map'],
    ['text nested too deep', `{"a":${'['.repeat(600)}"hunter2"${']'.repeat(600)}}`, 'data_too_deep'],
    ['a value nested too deep', { password: 'hunter2', ...nested(600) }, 'data_too_deep'],
    ['a list', ['hunter2'], 'data_not_a_map'],
    ['a number', 42, 'data_not_a_map'],
    ['a date', new Date(0), 'data_not_a_map'],
    ['null', null, 'data_not_a_map'],
    ['nothing', undefined, 'data_not_a_map'],
    ['a function', () => 'hunter2', 'data_not_a_map'],
  ])('refuse %s, without quoting it', async (_, data, code) => {
    const { service } = await devSecrets()
    await service.mounts.enable({ path: 'plain', type: 'kv' })
    await service.kv().write('x', { start: 1 })
    for (const outcome of [
      await Reflect.apply(service.kv().write, undefined, ['x', data]),
      await Reflect.apply(service.kv().patch, undefined, ['x', data]),
      await Reflect.apply(service.kv1('plain').write, undefined, ['x', data]),
    ]) {
      expect(outcome).toMatchObject({ ok: false, refusal: { code } })
      expect(JSON.stringify(outcome)).not.toContain('hunter2')
    }
    expect(await service.kv().read('x')).toMatchObject({ value: { version: { version: 1 } } })
  })

  it('say where a bigint is that nothing can spell in JSON, and write nothing', async () => {
    const { service } = await devSecrets()
    await service.mounts.enable({ path: 'plain', type: 'kv' })
    const data = { password: 'hunter2', pools: [{ id: 12345678901234567890n }] }
    for (const write of [service.kv().write, service.kv().patch, service.kv1('plain').write])
      await expect(write('x', data)).rejects.toThrow(/^data\.pools\.0\.id is a bigint, .* as JSON text/)
    expect(await service.kv().read('x')).toMatchObject({ value: { kind: 'absent' } })
  })

  it('say when there is no such mount, or one of the other version', async () => {
    const { service } = await devSecrets()
    for (const outcome of [await service.kv('nowhere').read('x'), await service.kv1('secret').read('x')])
      expect(outcome).toMatchObject({ ok: false, refusal: { code: 'no_such_mount' } })
  })

  it.each(['', '/', 'a/', 'a//b', '../a', 'a/./b', 'x'.repeat(4097)])('refuse the path %j', async (path) => {
    const { service } = await devSecrets()
    for (const outcome of [
      await service.kv().write(path, {}),
      await service.kv().read(path),
      await service.kv().delete(path),
      await service.kv().remove(path),
      await service.kv().writeMetadata(path, { maxVersions: 1 }),
    ])
      expect(outcome.ok).toBe(false)
  })

  it('make a token without policies one that may do nothing, not what its maker may', async () => {
    const { service } = await devSecrets()
    expect(await service.tokens.create({ policies: [] })).toMatchObject({ value: { policies: ['default'] } })
    const bare = await service.tokens.create({ policies: [], noDefaultPolicy: true })
    expect(bare).toMatchObject({ value: { policies: [] } })
  })

  it('give a token under one name: it is made as it is told to be, and found by itself or by its accessor', async () => {
    const { service } = await devSecrets({ ...testClock() })
    const made = unwrap(await service.tokens.create({ policies: ['default'], token: 'of-my-own' }))
    expect(made.token).toBe('of-my-own')
    const found = unwrap(await service.tokens.lookup({ token: made.token }))
    expect(found).toMatchObject({ accessor: made.accessor, policies: ['default'] })
    expect(unwrap(await service.tokens.lookup({ accessor: made.accessor }))).toEqual(found)
    expect(unwrap(await service.tokens.revoke({ token: made.token }))).toBe(true)
    expect(unwrap(await service.tokens.lookup({ token: made.token }))).toBeUndefined()
  })

  it('close without waiting for anything', async () => {
    await using service = createSecrets()
    expect((await service.seal.status()).initialized).toBe(false)
  })
})

describe('a typed method that is called with what it does not take', () => {
  /** Every method with arguments that are right, and how many of them it needs. */
  const right: {
    readonly [Handle in string]: Readonly<Record<string, readonly [least: number, ...unknown[]]>>
  } = {
    mounts: {
      enable: [1, { path: 'p', type: 'kv' }],
      tune: [1, { path: 'secret' }],
      move: [2, 'a', 'b'],
      disable: [1, 'p'],
    },
    policies: {
      read: [1, 'a'],
      write: [2, 'a', 'path "x" {}'],
      delete: [1, 'a'],
      explain: [2, ['a'], { path: 'x', operation: 'read' }],
    },
    tokens: {
      create: [1, { policies: ['a'] }],
      lookup: [1, { token: 'x' }],
      renew: [1, { token: 'x' }, 60],
      revoke: [1, { accessor: 'x' }],
    },
    kv: {
      write: [1, 'x', { a: 1 }, { cas: 0 }],
      patch: [1, 'x', { a: 1 }],
      read: [1, 'x', 1],
      list: [0, 'x'],
      delete: [1, 'x', [1]],
      undelete: [2, 'x', [1]],
      destroy: [2, 'x', [1]],
      remove: [1, 'x'],
      readMetadata: [1, 'x'],
      writeMetadata: [2, 'x', { maxVersions: 1 }],
      patchMetadata: [2, 'x', { maxVersions: null }],
      configure: [1, { maxVersions: 1 }],
    },
    kv1: { write: [1, 'x', { a: 1 }], read: [1, 'x'], list: [0, 'x'], remove: [1, 'x'] },
    idp: {
      configure: [1, { orgName: 'a' }],
      readUser: [1, 'x'],
      writeUser: [2, 'x', {}],
      readGroup: [1, 'x'],
      writeGroup: [2, 'x', []],
      login: [1, { username: 'x', password: 'y' }],
      answerOf: [1, 'n'],
    },
    namespaces: { list: [0, ''], create: [1, 'n'], delete: [1, 'n'] },
    seal: { initialize: [1, { shares: 1, threshold: 1 }], unseal: [1, 'ab'] },
  }
  const secret = 'hunter2-canary'
  const wrong: readonly unknown[] = [null, 42, true, () => secret]

  it.each(Object.entries(right))(
    '(%s) says which argument it is, and quotes nothing',
    async (handle, methods) => {
      const { service } = await devSecrets({ rootToken: 'root' })
      await service.mounts.enable({ path: 'plain', type: 'kv' })
      const handles: Readonly<Record<string, object>> = {
        ...service,
        kv: service.kv(),
        kv1: service.kv1('plain'),
        idp: service.idp(),
      }
      for (const [method, [least, ...args]] of Object.entries(methods)) {
        const call: unknown = Reflect.get(handles[handle] ?? {}, method)
        if (typeof call !== 'function') throw new Error(`there is no ${handle}.${method}`)
        const outcomeOf = (given: readonly unknown[]) =>
          Promise.resolve(Reflect.apply(call, undefined, given)).then(
            () => 'answered',
            (error: unknown) => String(error),
          )
        const isData = (at: number) => at === 1 && /^(write|patch)$/.test(method) && handle.startsWith('kv')
        for (const at of args.keys()) {
          if (isData(at)) continue
          const isText = typeof args[at] === 'string'
          const others = [...wrong, ...(isText ? [] : [secret]), ...(at < least ? [undefined] : [])]
          for (const other of others.filter((value) => typeof value !== typeof args[at] || value === null))
            expect(await outcomeOf(args.with(at, other)), `${handle}.${method}`).toMatch(
              new RegExp(`^TypeError: ${handle}\\.${method}: (?!.*canary)[\\w.]+: (expected|Invalid option)`),
            )
        }
        if (handle !== 'seal' && handle !== 'idp') expect(await outcomeOf(args)).toBe('answered')
      }
      expect(() => Reflect.apply(service.kv, undefined, [42])).toThrow('kv: mount: expected string')
    },
  )

  it('refuses a field that there is not, which would be as good as left out', async () => {
    const { service } = await devSecrets()
    const kv = service.kv()
    const cases: readonly (readonly [unknown, string])[] = [
      [
        kv.write('x', {}, misspelt({ caz: 0 })),
        'kv.write: options.caz: there is no such field; did you mean cas?',
      ],
      [
        kv.configure(misspelt({ maxVersion: 3 })),
        'kv.configure: input.maxVersion: there is no such field; did you mean maxVersions?',
      ],
      [
        kv.writeMetadata('x', misspelt({ max_versions: 3 })),
        'kv.writeMetadata: input.max_versions: there is no such field; did you mean maxVersions?',
      ],
      [
        service.tokens.create({ policies: ['default'], ...misspelt({ ttl: 60 }) }),
        'tokens.create: input.ttl: there is no such field; did you mean ttlSeconds?',
      ],
      [
        service.mounts.enable({ path: 'a', type: 'kv', ...misspelt({ Options: {} }) }),
        'mounts.enable: input.Options: there is no such field; did you mean options?',
      ],
    ]
    for (const [made, message] of cases) await expect(made).rejects.toThrow(message)
    await service.close()
  })

  it('takes what it gave back, with something changed', async () => {
    const { service } = await devSecrets()
    const kv = service.kv()
    unwrap(await kv.write('x', {}))
    const read = unwrap(await kv.readMetadata('x'))
    if (read === undefined) throw new Error('there is a secret')
    expect(await kv.writeMetadata('x', { ...read, customMetadata: { of: 'ada' } })).toMatchObject({
      ok: true,
    })
    const [mount] = unwrap(await service.mounts.list())
    if (mount === undefined) throw new Error('there is a mount')
    expect(await service.mounts.tune({ ...mount, description: 'Ours' })).toMatchObject({ ok: true })
    expect(await kv.configure({ ...unwrap(await kv.readConfig()), maxVersions: 3 })).toMatchObject({
      ok: true,
    })
    await service.close()
  })

  it('says which field it is', async () => {
    const { service } = await devSecrets()
    for (const [call, message] of [
      [
        () => service.tokens.create({ policies: ['a'], ttlSeconds: Number.NaN }),
        'tokens.create: input.ttlSeconds: ',
      ],
      [() => service.tokens.create({ policies: ['a'], numUses: 1.5 }), 'tokens.create: input.numUses: '],
      [() => service.kv().configure({ maxVersions: 1e300 }), 'kv.configure: input.maxVersions: '],
      [() => service.kv().destroy('x', [1, -0.5]), 'kv.destroy: versions.1: '],
    ] as const)
      await expect(call()).rejects.toThrow(message)
  })

  it.each(['\ud800', 'a\udfff'])('takes no names that are no Unicode (%j)', async (name) => {
    const { service } = await devSecrets()
    for (const made of [
      service.policies.write(name, 'path "x" {}'),
      service.namespaces.create(name),
      service.idp().writeUser(name, {}),
      service.idp().writeGroup(name, []),
    ])
      await expect(made).rejects.toThrow('expected valid Unicode')
    for (const outcome of [
      await service.mounts.enable({ path: name, type: 'kv' }),
      await service.mounts.move('secret', name),
      await service.kv().write(name, {}),
    ])
      expect(outcome.ok).toBe(false)
  })
})

/** What types would refuse. */
const misspelt = (fields: object): object => fields
