import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  attachAsset,
  createProvider,
  createVersion,
  currentVersion,
  deleteProvider,
  newestFirst,
  type ProviderFields,
  releaseVersion,
  revokeVersion,
  updateProvider,
  updateVersion,
  type Version,
  type versionLifecycle,
} from '../../src/catalog/index.ts'
import { unwrap } from '../../src/kernel/index.ts'
import { testClock } from '../../src/testing/index.ts'

const clock = testClock()
const env = clock.env()
const url = 'https://example.com/a.box'
const fresh = (version = '1.0.0'): Version =>
  unwrap(createVersion(undefined, { boxId: 'box-1', version }, env))
const adding = (version: Version, input: ProviderFields): Version => {
  const outcome = createProvider(version, input, env)
  if (!outcome.ok) throw new Error(outcome.refusal.message)
  return outcome.state
}
const codeOf = (outcome: { ok: true } | { ok: false; refusal: { code: string } }) =>
  outcome.ok ? 'ok' : outcome.refusal.code
const shape = (version: Version) =>
  version.providers.map((p) => `${p.name}/${p.architecture}${p.defaultArchitecture ? '*' : ''}`)

describe('the life of a version', () => {
  const states: Record<keyof typeof versionLifecycle, Version> = (() => {
    const unreleased = adding(fresh(), { name: 'qemu', url })
    const active = unwrap(releaseVersion(unreleased, {}, env))
    return { unreleased, active, revoked: unwrap(revokeVersion(active, {}, env)) }
  })()

  it.each([
    ['unreleased', 'ok', 'version_not_released'],
    ['active', 'version_already_released', 'ok'],
    ['revoked', 'version_revoked', 'version_revoked'],
  ] as const)('%s: release %s, revoke %s', (status, release, revoke) => {
    expect(codeOf(releaseVersion(states[status], {}, env))).toBe(release)
    expect(codeOf(revokeVersion(states[status], {}, env))).toBe(revoke)
  })

  it('tells publishing tools in the expected words that a version is released already', () => {
    const again = releaseVersion(states.active, {}, env)
    expect(again.ok ? '' : again.refusal.message).toContain('already been released')
  })

  it('needs a provider that can be fetched before it is released', () => {
    expect(codeOf(releaseVersion(fresh(), {}, env))).toBe('version_unusable')
    const waiting = adding(fresh(), { name: 'qemu' })
    expect(codeOf(releaseVersion(waiting, {}, env))).toBe('version_unusable')
    const uploaded = attachAsset(waiting, { at: { name: 'qemu' }, asset: { blob: 'b', size: 1 } }, env)
    expect(uploaded.ok && codeOf(releaseVersion(uploaded.state, {}, env))).toBe('ok')
  })

  it('can be described and renumbered in every status', () => {
    for (const version of Object.values(states)) {
      const next = unwrap(updateVersion(version, { version: '01.1', description: 'new' }, env))
      expect(next).toMatchObject({
        number: '01.1',
        canonical: '1.1',
        description: 'new',
        status: version.status,
      })
    }
    expect(updateVersion(states.active, {}, env)).toMatchObject({
      ok: true,
      state: states.active,
      events: [],
    })
    expect(codeOf(updateVersion(states.active, { version: 'v1' }, env))).toBe('invalid_version_number')
  })

  it('is the current one when it is the highest active one, pre-releases included', () => {
    const at = (number: string, status: Version['status']): Version => ({ ...fresh(number), status })
    const all = [at('1.9', 'active'), at('1.10', 'active'), at('2', 'revoked'), at('3', 'unreleased')]
    expect(currentVersion(all)?.number).toBe('1.10')
    expect(currentVersion([...all, at('2.0.0-beta', 'active')])?.number).toBe('2.0.0-beta')
    expect(currentVersion([])).toBeUndefined()
    expect(newestFirst(all).map(({ number }) => number)).toEqual(['3', '2', '1.10', '1.9'])
  })
})

describe('the providers of a version', () => {
  it('have one default architecture per name: the first, until another one is chosen', () => {
    let version = adding(fresh(), { name: 'qemu', architecture: 'amd64' })
    version = adding(version, { name: 'qemu', architecture: 'arm64' })
    version = adding(version, { name: 'virtualbox', architecture: 'arm64' })
    expect(shape(version)).toEqual(['qemu/amd64*', 'qemu/arm64', 'virtualbox/arm64*'])
    const moved = updateProvider(
      version,
      { at: { name: 'qemu', architecture: 'arm64' }, defaultArchitecture: true },
      env,
    )
    expect(moved.ok && shape(moved.state)).toEqual(['qemu/amd64', 'qemu/arm64*', 'virtualbox/arm64*'])
    const denied = updateProvider(version, { at: { name: 'qemu' }, defaultArchitecture: false }, env)
    expect(denied.ok && shape(denied.state)).toEqual(['qemu/amd64*', 'qemu/arm64', 'virtualbox/arm64*'])
    expect(shape(adding(version, { name: 'qemu', defaultArchitecture: true }))).toContain('qemu/unknown*')
  })

  it('leave the default to the oldest that remains when it is deleted or renamed', () => {
    let version = adding(fresh(), { name: 'qemu', architecture: 'amd64' })
    version = adding(version, { name: 'qemu', architecture: 'arm64' })
    version = adding(version, { name: 'qemu', architecture: 'i386' })
    const deleted = deleteProvider(version, { at: { name: 'qemu', architecture: 'amd64' } }, env)
    expect(deleted.ok && shape(deleted.state)).toEqual(['qemu/arm64*', 'qemu/i386'])
    const renamed = updateProvider(version, { at: { name: 'qemu' }, name: 'libvirt' }, env)
    expect(renamed.ok && shape(renamed.state)).toEqual(['libvirt/amd64*', 'qemu/arm64*', 'qemu/i386'])
  })

  it('are one of each name and architecture; for version 1 of the API, one of each name', () => {
    const version = adding(fresh(), { name: 'qemu', architecture: 'amd64' })
    expect(codeOf(createProvider(version, { name: 'qemu', architecture: 'amd64' }, env))).toBe(
      'provider_taken',
    )
    expect(codeOf(createProvider(version, { name: 'qemu' }, env))).toBe('ok')
    expect(codeOf(createProvider(version, { name: 'qemu' }, env, { byName: true }))).toBe('provider_taken')
    const two = adding(version, { name: 'libvirt' })
    const at = { name: 'libvirt' }
    expect(codeOf(updateProvider(two, { at, name: 'qemu' }, env))).toBe('ok')
    expect(codeOf(updateProvider(two, { at, name: 'qemu' }, env, { byName: true }))).toBe('provider_taken')
    expect(codeOf(updateProvider(two, { at: { name: 'unknown' } }, env))).toBe('provider_unknown')
    expect(codeOf(deleteProvider(two, { at: { name: 'qemu', architecture: 'mips' } }, env))).toBe(
      'provider_unknown',
    )
  })

  it.each<[ProviderFields, string]>([
    [{}, 'invalid_provider_name'],
    [{ name: '../up' }, 'invalid_provider_name'],
    [{ name: 'q', architecture: 'AMD64' }, 'invalid_architecture'],
    [{ name: 'q', architecture: '__proto__' }, 'invalid_architecture'],
    [{ name: 'q', url: 'example.com/a.box' }, 'invalid_url'],
    [{ name: 'q', url: 'javascript:alert(1)' }, 'invalid_url'],
    [{ name: 'q', url: 'file:///etc/passwd' }, 'invalid_url'],
    [{ name: 'q', url: 'http:example.com/a.box' }, 'invalid_url'],
    [{ name: 'q', url: 'https:///example.com/a.box' }, 'invalid_url'],
    [{ name: 'q', url: 'https://example.com/a.box ' }, 'invalid_url'],
    [{ name: 'q', checksum: 'abc' }, 'invalid_checksum'],
    [{ name: 'q', checksumType: 'sha256' }, 'invalid_checksum'],
    [{ name: 'q', checksum: 'abc', checksumType: 'sha256' }, 'invalid_checksum'],
    [{ name: 'q', checksum: 'z'.repeat(32), checksumType: 'md5' }, 'invalid_checksum'],
    [{ name: 'q', checksum: 'a'.repeat(32), checksumType: 'crc' }, 'invalid_checksum'],
  ])('refuse %j', (fields, code) => {
    expect(codeOf(createProvider(fresh(), fields, env))).toBe(code)
  })

  it('take null and empty texts for "none", and keep checksums in lower case', () => {
    const version = adding(fresh(), { name: 'q', url: '', checksum: '', checksumType: '' })
    expect(version.providers[0]).toMatchObject({ url: null, checksum: null })
    const checksum = { checksum: 'AB'.repeat(16), checksumType: 'md5' }
    expect(adding(fresh(), { name: 'q', ...checksum }).providers[0]?.checksum).toEqual({
      type: 'md5',
      hex: 'ab'.repeat(16),
    })
  })

  it('take a new checksum for the type that they have, or a type for the checksum', () => {
    const version = adding(fresh(), { name: 'q', checksum: 'ab'.repeat(16), checksumType: 'md5' })
    const change = (fields: ProviderFields) => {
      const updated = updateProvider(version, { ...fields, at: { name: 'q' } }, env)
      return updated.ok ? updated.value.checksum : updated.refusal.code
    }
    expect(change({ checksum: 'cd'.repeat(16) })).toEqual({ type: 'md5', hex: 'cd'.repeat(16) })
    expect(change({ checksumType: 'md5' })).toEqual({ type: 'md5', hex: 'ab'.repeat(16) })
    expect(change({ checksumType: 'sha256' })).toBe('invalid_checksum')
    expect(change({ checksum: '' })).toBe('invalid_checksum')
    expect(change({ checksum: '', checksumType: '' })).toBeNull()
  })

  it('drop an uploaded image when they get a url, and a url when an image is uploaded', () => {
    const version = adding(fresh(), { name: 'q' })
    const at = { name: 'q' }
    const uploaded = attachAsset(version, { at, asset: { blob: 'b', size: 1 } }, env)
    if (!uploaded.ok) throw new Error('refused')
    const external = updateProvider(uploaded.state, { at, url }, env)
    expect(external.ok && external.value).toMatchObject({ url, asset: null })
    const back = external.ok && attachAsset(external.state, { at, asset: { blob: 'c', size: 2 } }, env)
    expect(back ? codeOf(back) : '').toBe('ok')
    expect(back && 'value' in back && back.value).toMatchObject({
      url: null,
      asset: { blob: 'c', size: 2 },
    })
  })

  const name = fc.constantFrom('qemu', 'virtualbox')
  const architecture = fc.constantFrom('amd64', 'arm64', 'unknown')
  const at = fc.record({ name, architecture })
  const command = fc.oneof(
    fc.record({ do: fc.constant('create' as const), at, wanted: fc.boolean() }),
    fc.record({ do: fc.constant('delete' as const), at }),
    fc.record({ do: fc.constant('move' as const), at, to: at, wanted: fc.boolean() }),
  )

  it('keep exactly one default of each name after any operations', () => {
    fc.assert(
      fc.property(fc.array(command, { maxLength: 20 }), (commands) => {
        let version = fresh()
        for (const step of commands) {
          const outcome =
            step.do === 'create'
              ? createProvider(version, { ...step.at, defaultArchitecture: step.wanted }, env)
              : step.do === 'delete'
                ? deleteProvider(version, { at: step.at }, env)
                : updateProvider(version, { ...step.to, at: step.at, defaultArchitecture: step.wanted }, env)
          if (outcome.ok) version = outcome.state
          const names = new Set(version.providers.map((provider) => provider.name))
          for (const one of names)
            expect(version.providers.filter((p) => p.name === one && p.defaultArchitecture)).toHaveLength(1)
          expect(new Set(shape(version).map((text) => text.replace('*', ''))).size).toBe(
            version.providers.length,
          )
        }
      }),
    )
  })
})
