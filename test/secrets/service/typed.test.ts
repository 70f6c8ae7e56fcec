import { describe, expect, it } from 'vitest'
import { createSecrets, devSecrets } from '../../../src/secrets/index.ts'

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
  ])('refuse %s, without quoting it', async (_, data, code) => {
    const { service } = await devSecrets()
    await service.mounts.enable({ path: 'plain', type: 'kv' })
    await service.kv().write('x', { start: 1 })
    for (const outcome of [
      await service.kv().write('x', data),
      await service.kv().patch('x', data),
      await service.kv1('plain').write('x', data),
    ]) {
      expect(outcome).toMatchObject({ ok: false, refusal: { code } })
      expect(JSON.stringify(outcome)).not.toContain('hunter2')
    }
    expect(await service.kv().read('x')).toMatchObject({ value: { version: { version: 1 } } })
  })

  it('say when there is no such mount, or one of the other version', async () => {
    const { service } = await devSecrets()
    for (const outcome of [await service.kv('nowhere').read('x'), await service.kv1('secret').read('x')])
      expect(outcome).toMatchObject({ ok: false, refusal: { code: 'no_such_mount' } })
  })

  it.each(['', '/', 'a/', 'a//b', '../a', 'a/./b', 'x'.repeat(2000)])('refuse the path %j', async (path) => {
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

  it('close without waiting for anything', async () => {
    await using service = createSecrets()
    expect((await service.seal.status()).initialized).toBe(false)
  })
})
