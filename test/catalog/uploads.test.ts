import { describe, expect, it } from 'vitest'
import {
  attachAsset,
  type Checksum,
  createProvider,
  createVersion,
  finalizeUpload,
  requestUpload,
  storeUpload,
  type Upload,
  updateProvider,
  uploadPolicy,
  uploadProblem,
  type Version,
} from '../../src/catalog/index.ts'
import { unwrap } from '../../src/kernel/index.ts'
import { testClock } from '../../src/testing/index.ts'

const clock = testClock()
const env = clock.env()
const later = (seconds: number) => ({ ...env, now: env.now + seconds * 1000 })
const version = ((): Version => {
  const empty = unwrap(createVersion(undefined, { boxId: 'box-1', version: '1' }, env))
  const added = createProvider(empty, { name: 'qemu' }, env)
  if (!added.ok) throw new Error('refused')
  return added.state
})()
const requested = unwrap(
  requestUpload(version, { id: 'u', at: { name: 'qemu' }, mode: 'direct' }, env, uploadPolicy),
)
const bytes = (blob: string) => ({ asset: { blob, size: 3 }, expected: null, actual: null })
const storing = (upload: Upload, blob: string, at = env) => {
  const outcome = storeUpload(upload, bytes(blob), at, uploadPolicy)
  if (!outcome.ok) throw new Error(outcome.refusal.code)
  return outcome
}
const finalizing = (upload: Upload, at = env, declared: Checksum | null = null) =>
  finalizeUpload({ upload, version }, { declared }, at)
const codeOf = (outcome: { ok: true } | { ok: false; refusal: { code: string } }) =>
  outcome.ok ? 'ok' : outcome.refusal.code

describe('an upload', () => {
  it('goes from requested over stored to finalized', () => {
    expect(requested.status).toBe('requested')
    const stored = storing(requested, 'a')
    expect(stored.state.status).toBe('stored')
    const done = finalizing(stored.state)
    expect(done).toMatchObject({ ok: true, state: { upload: { status: 'finalized', asset: null } } })
  })

  it('gives its provider the image when it is finalized', () => {
    const done = finalizing(storing(requested, 'a').state)
    if (!done.ok) throw new Error(done.refusal.code)
    const asset = { blob: 'a', size: 3 }
    expect(done.value).toMatchObject({ name: 'qemu', asset })
    expect(done.state.version.providers).toMatchObject([{ name: 'qemu', asset }])
    expect(done.events).toMatchObject([{ type: 'image.uploaded', version: '1', provider: 'qemu' }])
  })

  it('is refused when its provider is gone', () => {
    const { state: upload } = storing(requested, 'a')
    const gone = finalizeUpload({ upload, version: { ...version, providers: [] } }, { declared: null }, env)
    expect(codeOf(gone)).toBe('provider_unknown')
  })

  it('is not finalized before its bytes are there, and changes nothing when it is finalized again', () => {
    expect(codeOf(finalizing(requested))).toBe('upload_not_stored')
    const done = finalizing(storing(requested, 'a').state)
    const again = done.ok && finalizeUpload(done.state, { declared: null }, later(10_000_000))
    expect(again).toMatchObject({ ok: true, state: done.ok && done.state, events: [] })
  })

  it('takes the bytes of a repetition, and says which it lost', () => {
    const first = storing(requested, 'a')
    expect(first.value.dropped).toEqual([])
    const second = storing(first.state, 'b')
    expect(second.value.dropped).toEqual(['a'])
    const done = finalizing(second.state)
    expect(done.ok && done.value.asset?.blob).toBe('b')
  })

  it('takes no other bytes once it is finalized, and the same ones again', () => {
    const sent = (blob: string, sha256: string) => ({ ...bytes(blob), asset: { blob, size: 3, sha256 } })
    const first = storeUpload(requested, sent('a', 'aa'), env)
    const done = first.ok ? finalizing(first.state) : undefined
    if (!done?.ok) throw new Error('refused')
    expect(codeOf(storeUpload(done.state.upload, sent('b', 'bb'), env))).toBe('upload_finalized')
    // They are there already: the repetition is what goes.
    const again = storeUpload(done.state.upload, sent('c', 'aa'), env)
    expect(again.ok && again.value.dropped).toEqual(['c'])
  })

  it.each([
    ['active', 'upload_ended'],
    ['revoked', 'version_revoked'],
  ] as const)('replaces no image once its version is %s, and still gives a first one', (status, refusal) => {
    const upload = storing(requested, 'a').state
    const finalizeIn = (state: Version) =>
      codeOf(finalizeUpload({ upload, version: state }, { declared: null }, env))
    const at = { name: 'qemu' }
    const withImage = attachAsset(version, { at, asset: { blob: 'b', size: 3 } }, env)
    const withUrl = updateProvider(version, { at, url: 'https://example.com/a.box' }, env)
    if (!withImage.ok || !withUrl.ok) throw new Error('refused')
    expect(finalizeIn({ ...version, status })).toBe('ok')
    expect(finalizeIn({ ...withImage.state, status })).toBe(refusal)
    expect(finalizeIn({ ...withUrl.state, status })).toBe(refusal)
  })

  it('is not given for a revoked version', () => {
    const revoked = { ...version, status: 'revoked' as const }
    const input = { id: 'u', at: { name: 'qemu' }, mode: 'direct' } as const
    expect(codeOf(requestUpload(revoked, input, env))).toBe('version_revoked')
  })

  it('must begin within its time, however long it takes', () => {
    const { beginWithinSeconds, finalizeWithinSeconds } = uploadPolicy
    expect(uploadProblem(requested, later(beginWithinSeconds - 1))).toBeUndefined()
    expect(uploadProblem(requested, later(beginWithinSeconds))?.refusal.code).toBe('upload_expired')
    const slow = storing(requested, 'a', later(beginWithinSeconds * 5))
    const end = beginWithinSeconds * 5 + finalizeWithinSeconds
    expect(codeOf(finalizing(slow.state, later(end - 1)))).toBe('ok')
    expect(codeOf(finalizing(slow.state, later(end)))).toBe('upload_expired')
  })

  it('ends ten minutes after its bytes became the image', () => {
    const done = finalizing(storing(requested, 'a').state)
    if (!done.ok) throw new Error(done.refusal.code)
    const { upload } = done.state
    expect(uploadProblem(upload, later(uploadPolicy.repeatWithinSeconds - 1))).toBeUndefined()
    expect(uploadProblem(upload, later(uploadPolicy.repeatWithinSeconds))?.refusal.code).toBe(
      'upload_expired',
    )
  })

  it('is refused when it is empty or its checksum is wrong', () => {
    const empty = { asset: { blob: 'a', size: 0 }, expected: null, actual: null }
    expect(codeOf(storeUpload(requested, empty, env, uploadPolicy))).toBe('upload_empty')
    const expected = { type: 'md5', hex: 'aa' } as const
    const wrong = { asset: { blob: 'a', size: 1 }, expected, actual: { type: 'md5', hex: 'bb' } as const }
    const standard = { ...requested, mode: 'standard' as const }
    expect(codeOf(storeUpload(standard, wrong, env, uploadPolicy))).toBe('checksum_mismatch')
    expect(codeOf(storeUpload(standard, { ...wrong, actual: expected }, env, uploadPolicy))).toBe('ok')
    // That of a direct upload is told where clients show it, as often as they ask.
    const direct = storeUpload(requested, wrong, env, uploadPolicy)
    expect(direct.ok && direct.value.dropped).toEqual(['a'])
    for (const _ of [1, 2])
      expect(direct.ok && codeOf(finalizing(direct.state, env, expected))).toBe('checksum_mismatch')
    expect(direct.ok && codeOf(finalizing(direct.state, env))).toBe('upload_not_stored')
  })

  it('is refused when the checksum was changed while the bytes were on their way', () => {
    const stored = storing(requested, 'a').state
    expect(codeOf(finalizing(stored, env, { type: 'md5', hex: 'aa' }))).toBe('checksum_mismatch')
  })
})
