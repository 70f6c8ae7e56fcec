import { expect, it } from 'vitest'
import { createCatalog } from '../../src/catalog/index.ts'
import { unwrap } from '../../src/index.ts'

const tiny = { username: 'ada', name: 'tiny' }
/** As programs without types give it. */
const untyped = (value: unknown) => value as never

it('says what a method of a catalog does not take, before anything is done', async () => {
  const catalog = createCatalog()
  await catalog.putUser({ username: 'ada' })
  const ada = catalog.as({ kind: 'user', username: 'ada' })
  const cases: readonly (readonly [Promise<unknown>, string])[] = [
    [catalog.putUser(untyped('bob')), 'putUser: input: expected object, received string'],
    [
      catalog.putUser(untyped({ username: 'bob', pasword: 'hunter2' })),
      'putUser: input.pasword: there is no such field; did you mean password?',
    ],
    [catalog.createToken(untyped(5)), 'createToken: username: expected string, received number'],
    [ada.createBox(untyped('ada/tiny')), 'createBox: input: expected object, received string'],
    [
      ada.createBox(untyped({ ...tiny, privat: true })),
      'createBox: input.privat: there is no such field; did you mean private?',
    ],
    [ada.createVersion(tiny, { version: untyped(1) }), 'createVersion: input.version: expected string'],
    [ada.search(untyped('tiny')), 'search: query: expected object, received string'],
    [ada.search(untyped({ limt: 5 })), 'search: query.limt: there is no such field; did you mean limit?'],
  ]
  for (const [made, message] of cases) {
    await expect(made).rejects.toThrow(TypeError)
    await expect(made).rejects.toThrow(message)
  }
  expect(unwrap(await catalog.readAccount('ada')).boxes).toEqual([])
  expect((await catalog.readAccount('bob')).ok).toBe(false)
  await catalog.close()
})

it('refuses unknown callers in as()', async () => {
  const catalog = createCatalog()
  for (const unknown of ['ada', { kind: 'users', username: 'ada' }, { kind: 'user' }, undefined])
    expect(() => catalog.as(untyped(unknown))).toThrow("as: caller: expected { kind: 'host' }")
  await catalog.close()
})

it('takes what was read, with something changed', async () => {
  const catalog = createCatalog()
  await catalog.putUser({ username: 'ada' })
  const { box } = unwrap(await catalog.createBox({ ...tiny, private: true }))
  await catalog.updateBox(box, { ...box, description: 'Small' })
  const { version } = unwrap(await catalog.createVersion(box, { version: '1.0' }))
  await catalog.updateVersion({ ...tiny, version: '1.0' }, { description: 'First' })
  expect(unwrap(await catalog.readBox(tiny))).toMatchObject({ box: { description: 'Small', private: true } })
  expect(version.boxId).toBe(box.id)
  await catalog.close()
})
