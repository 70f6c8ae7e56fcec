import { describe, expect, it } from 'vitest'
import { unwrap } from '../../src/kernel/index.ts'
import { createRegistry } from '../../src/registry/index.ts'
import { served, source, vpc } from './served.ts'

const submodules = (count: number) =>
  Array.from({ length: count }, (_, at) => ({
    path: `modules/part-${at}`,
    providers: [{ name: 'aws', version: '>= 5' }],
  }))

describe('a version', () => {
  it('has so much documentation at most', async () => {
    const { registry } = await served({ limits: { charactersPerVersion: 1000 } })
    const publish = (readme: string) =>
      registry.publishVersion(vpc, { version: '3.0.0', source, root: { readme } })
    expect(await publish('a'.repeat(1000))).toMatchObject({
      refusal: {
        code: 'version_too_large',
        message: expect.stringMatching(
          /^version 3\.0\.0 is too large: its documentation has 1\d{3} characters of JSON, and the maximum is 1000$/,
        ),
      },
    })
    expect(unwrap(await publish('a'.repeat(700)))).toBe('3.0.0')
  })
})

describe('a module', () => {
  it('has so long a version list at most, until old versions go', async () => {
    const { registry, get } = await served({ limits: { charactersPerModule: 9000 } })
    const publish = (version: string) =>
      registry.publishVersion(vpc, { version, source, submodules: submodules(30) })
    unwrap(await publish('3.0.0'))
    unwrap(await publish('3.1.0'))
    expect(await publish('3.2.0')).toMatchObject({
      refusal: {
        code: 'module_too_large',
        message: expect.stringMatching(
          /^acme\/vpc\/aws is too large: its version list would have \d+ characters of JSON, and the maximum is 9000: remove old versions first$/,
        ),
      },
    })
    const list = JSON.stringify((await get('/v1/modules/acme/vpc/aws/versions')).body)
    expect(list.length).toBeLessThan(9000)
    unwrap(await registry.removeVersion(vpc, '3.0.0'))
    expect(unwrap(await publish('3.2.0'))).toBe('3.2.0')
  })

  it('that was loaded counts with all it has, and may be larger', async () => {
    const { registry } = await served({ limits: { charactersPerModule: 1000 } }, { empty: true })
    const versions = Array.from({ length: 9 }, (_, at) => ({ version: `1.${at}`, source }))
    unwrap(await registry.load({ modules: [{ ...vpc, versions }] }))
    expect(await registry.publishVersion(vpc, { version: '2', source })).toMatchObject({
      refusal: { code: 'module_too_large' },
    })
  })

  it.each([
    ['owner', 256],
    ['description', 4096],
    ['source', 4096],
  ])('says in %s what fits into %i characters', async (field, length) => {
    const { registry } = await served()
    expect(await registry.publishModule({ ...vpc, [field]: 'a'.repeat(length) })).toMatchObject({ ok: true })
    expect(await registry.publishModule({ ...vpc, [field]: 'a'.repeat(length + 1) })).toMatchObject({
      refusal: {
        code: 'text_too_long',
        message: `the ${field} is too long: it has at most ${length} characters`,
      },
    })
  })
})

it('limits that nothing could keep are a mistake of the program', () => {
  expect(() => createRegistry({ limits: { charactersPerModule: 0 } })).toThrow(
    'limits.charactersPerModule is 0: pass a number of characters, 1 or more',
  )
})
