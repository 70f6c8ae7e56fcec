import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { unwrap } from '../../src/kernel/index.ts'
import {
  compareVersions,
  type Module,
  type ModulePart,
  moduleRow,
  parseVersion,
  publishModule,
  publishVersion,
  removeVersion,
  renameModule,
} from '../../src/registry/index.ts'
import { testClock } from '../../src/testing/index.ts'

const { env } = testClock({ now: Date.UTC(2026, 0, 2) })
const address = { namespace: 'acme', name: 'vpc', provider: 'aws' }
const source = 'https://example.com/vpc.zip'

const part = (path: string): ModulePart => ({
  path,
  readme: '',
  empty: false,
  inputs: [],
  outputs: [],
  dependencies: [],
  providers: [{ name: 'aws', version: '>= 5' }],
  resources: [],
})

function given(...versions: readonly string[]): Module {
  const published = publishModule(undefined, address, env())
  if (!published.ok) throw new Error('not published')
  return versions.reduce((module, version) => {
    const outcome = publishVersion(module, { version, source }, env())
    if (!outcome.ok) throw new Error(outcome.refusal.message)
    return outcome.state
  }, published.state)
}
const numbers = (module: Module) => module.versions.map(({ number }) => number)

describe('publishing a module', () => {
  it('starts it without versions, unverified', () => {
    expect(given()).toMatchObject({ ...address, verified: false, versions: [], owner: '' })
    expect(moduleRow(given(), 0)).toBeUndefined()
  })

  it('changes what is given and keeps the rest, its versions and its spelling', () => {
    const module = given('1.0.0')
    const edited = publishModule(
      module,
      { ...address, namespace: 'ACME', owner: 'ada', verified: true },
      env(),
    )
    expect(edited).toMatchObject({ ok: true, state: { ...module, owner: 'ada', verified: true } })
    expect(edited.ok && edited.events).toEqual([{ type: 'module.updated', module: address }])
  })

  it('changes nothing when it says nothing new', () => {
    const module = given('1.0.0')
    const again = publishModule(module, { ...address, verified: false }, env())
    expect(again.ok && again.state).toBe(module)
  })
})

describe('publishing a version', () => {
  it('keeps versions oldest first for any order of publishing', () => {
    expect(numbers(given('1.10.0', 'v1.9', '2.0.0-beta1', '0.1', '1.10.0-rc1'))).toEqual([
      '0.1.0',
      '1.9.0',
      '1.10.0-rc1',
      '1.10.0',
      '2.0.0-beta1',
    ])
  })

  it('shows the highest stable version as the module', () => {
    expect(moduleRow(given('1.9.0', '2.0.0-beta1', '1.10.0'), 7)).toMatchObject({
      version: '1.10.0',
      downloads: 7,
    })
  })

  it('gives the records of the version: its needs for lists, all of it for details', () => {
    const root = { ...part(''), readme: '# VPC' }
    const module = given()
    const outcome = publishVersion(module, { version: '1', source, root, submodules: [part('nat')] }, env())
    const { version, contents } = unwrap(outcome)
    expect(version).toEqual({
      moduleId: module.id,
      number: '1.0.0',
      source,
      publishedMicros: Date.UTC(2026, 0, 2) * 1000,
      root: { path: '', dependencies: [], providers: root.providers },
      submodules: [{ path: 'nat', dependencies: [], providers: root.providers }],
    })
    expect(contents).toEqual({ moduleId: module.id, number: '1.0.0', root, submodules: [part('nat')] })
  })

  it('fills in what the publisher leaves out', () => {
    const root = { inputs: [{ name: 'cidr' }], dependencies: [{ name: 'net' }], outputs: [{ name: 'id' }] }
    expect(unwrap(publishVersion(given(), { version: '1', source, root }, env())).contents.root).toEqual({
      path: '',
      readme: '',
      empty: false,
      inputs: [{ name: 'cidr', description: '', default: '' }],
      outputs: [{ name: 'id', description: '' }],
      dependencies: [{ name: 'net', source: '', version: '' }],
      providers: [],
      resources: [],
    })
  })

  it.each(['1.0.0', 'v1.0.0', '1.0', '1', '1.0.0.0'])('takes %s for the 1.0.0 that is there', (version) => {
    const outcome = publishVersion(given('1.0.0'), { version, source }, env())
    expect(outcome).toMatchObject({ ok: false, refusal: { code: 'version_exists' } })
  })

  it.each([
    ['invalid_version', { version: 'latest' }],
    ['invalid_source', { source: 'vpc.zip' }],
    ['invalid_submodule', { submodules: [part('')] }],
    ['invalid_submodule', { submodules: [part('../x')] }],
    ['invalid_submodule', { submodules: [part('/x')] }],
    ['invalid_submodule', { submodules: [part('a'), part('a')] }],
  ])('is refused with %s for %j', (code, change) => {
    const outcome = publishVersion(given(), { version: '1.0.0', source, ...change }, env())
    expect(outcome).toMatchObject({ ok: false, refusal: { code } })
  })

  it('keeps any sequence of versions in order and without doubles', () => {
    const text = fc
      .tuple(fc.nat(3), fc.nat(12), fc.constantFrom('', '-a', '-b.1', '-b.10'))
      .map(([a, b, c]) => `${a}.${b}${c}`)
    fc.assert(
      fc.property(fc.array(text, { maxLength: 30 }), (texts) => {
        let module = given()
        for (const version of texts) {
          const outcome = publishVersion(module, { version, source }, env())
          if (outcome.ok) module = outcome.state
        }
        const parsed = texts.flatMap((version) => parseVersion(version) ?? [])
        const expected = [...new Map(parsed.map((version) => [version.canonical, version])).values()].sort(
          compareVersions,
        )
        expect(numbers(module)).toEqual(expected.map(({ canonical }) => canonical))
      }),
    )
  })
})

describe('removing a version', () => {
  it('finds it by any spelling and frees its number', () => {
    const outcome = removeVersion(given('1.0.0', '1.1.0'), { version: 'v1.1' }, env())
    expect(outcome).toMatchObject({ ok: true, value: '1.1.0' })
    expect(outcome.ok && numbers(outcome.state)).toEqual(['1.0.0'])
  })

  it('takes a module off the lists with its last one', () => {
    const outcome = removeVersion(given('1.0.0'), { version: '1.0.0' }, env())
    expect(outcome.ok && moduleRow(outcome.state, 0)).toBeUndefined()
  })

  it.each(['3.0.0', 'nonsense'])('refuses %s, which is not there', (version) => {
    expect(removeVersion(given('1.0.0'), { version }, env())).toMatchObject({
      ok: false,
      refusal: { code: 'version_not_found' },
    })
  })
})

describe('renaming a module', () => {
  it('keeps identity and versions and leaves a record of where it went', () => {
    const module = given('1.0.0')
    const to = { namespace: 'acme', name: 'network', provider: 'aws' }
    expect(renameModule(module, to, env())).toMatchObject({
      ok: true,
      state: { ...module, name: 'network' },
      value: { ...address, moduleId: module.id, to },
    })
  })

  it('leaves nothing behind when only the case of letters changes', () => {
    const outcome = renameModule(given('1.0.0'), { ...address, name: 'VPC' }, env())
    expect(outcome).toMatchObject({ ok: true, value: undefined, state: { name: 'VPC' } })
  })

  it('refuses an invalid address', () => {
    const outcome = renameModule(given(), { ...address, provider: 'AWS' }, env())
    expect(outcome).toMatchObject({ ok: false, refusal: { code: 'invalid_module_name' } })
  })
})
