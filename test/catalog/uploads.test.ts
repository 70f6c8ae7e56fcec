import { describe, expect, it } from 'vitest'
import {
  type Checksum,
  createProvider,
  createVersion,
  finalizeUpload,
  requestUpload,
  storeUpload,
  type Upload,
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
    expect(first.value.dropped).toBeNull()
    const second = storing(first.state, 'b')
    expect(second.value.dropped).toBe('a')
    const done = finalizing(second.state)
    // The image of the provider is not the upload's any more: sending again must not delete it.
    expect(done.ok && storing(done.state.upload, 'c').value.dropped).toBeNull()
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

  it('may be repeated for a day, and not longer for being repeated', () => {
    const day = uploadPolicy.finalizeWithinSeconds
    const done = finalizing(storing(requested, 'a').state)
    if (!done.ok) throw new Error(done.refusal.code)
    const repeated = storing(done.state.upload, 'b', later(day - 1))
    expect(uploadProblem(repeated.state, later(day - 1))).toBeUndefined()
    expect(uploadProblem(repeated.state, later(day))?.refusal.code).toBe('upload_expired')
  })

  it('is refused when it is empty or its checksum is wrong', () => {
    const empty = { asset: { blob: 'a', size: 0 }, expected: null, actual: null }
    expect(codeOf(storeUpload(requested, empty, env, uploadPolicy))).toBe('upload_empty')
    const expected = { type: 'md5', hex: 'aa' } as const
    const wrong = { asset: { blob: 'a', size: 1 }, expected, actual: { type: 'md5', hex: 'bb' } as const }
    expect(codeOf(storeUpload(requested, wrong, env, uploadPolicy))).toBe('checksum_mismatch')
    expect(codeOf(storeUpload(requested, { ...wrong, actual: expected }, env, uploadPolicy))).toBe('ok')
  })

  it('is refused when the checksum was changed while the bytes were on their way', () => {
    const stored = storing(requested, 'a').state
    expect(codeOf(finalizing(stored, env, { type: 'md5', hex: 'aa' }))).toBe('checksum_mismatch')
  })
})
