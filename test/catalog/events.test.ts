import { expect, it } from 'vitest'
import type { CatalogReport } from '../../src/catalog/index.ts'
import { served } from './catalog.ts'

it('reports event, time, actor and box once it is stored, and never a secret', async () => {
  const reports: CatalogReport[] = []
  const { alice, ask, catalog, clock, token } = await served({ onEvent: (report) => reports.push(report) })
  await ask('POST /api/v1/authenticate', { user: { login: 'alice', password: 'wrong' } })
  await alice('POST /api/v2/boxes', { name: 'tiny', is_private: false })
  await alice('POST /api/v2/boxes', { name: 'tiny' })
  await alice('POST /api/v2/box/alice/tiny/versions', { version: '1.0' })
  await clock.advance(1000)
  await alice('POST /api/v2/box/alice/tiny/version/1.0/providers', { name: 'qemu', architecture: 'amd64' })
  const { body } = await alice('GET /api/v2/box/alice/tiny/version/1.0/provider/qemu/amd64/upload')
  await catalog.fetch(new Request(body.upload_path, { method: 'PUT', body: 'bytes' }))
  await alice('PUT /api/v2/box/alice/tiny/version/1.0/release')
  await ask('GET /alice/boxes/tiny/versions/1.0/providers/qemu.box')
  await alice('PUT /api/v2/box/alice/tiny/version/1.0/revoke')
  await alice('DELETE /api/v2/box/alice/tiny')
  await alice('DELETE /api/v1/authenticate')

  expect(reports.map(({ type, by, box }) => `${type} ${by ?? '-'} ${box ?? '-'}`)).toEqual([
    'account.created - -',
    'token.created - -',
    'login.refused - -',
    'box.created alice alice/tiny',
    'version.created alice alice/tiny',
    'provider.created alice alice/tiny',
    'image.uploaded alice alice/tiny',
    'version.released alice alice/tiny',
    'image.downloaded - alice/tiny',
    'version.revoked alice alice/tiny',
    'box.deleted alice alice/tiny',
    'token.deleted alice -',
  ])
  expect(new Set(reports.map(({ at }) => at))).toEqual(new Set([clock.now() - 1000, clock.now()]))
  const reported = JSON.stringify(reports)
  for (const secret of [token, 'correct horse', body.upload_path.split('/').at(-1)])
    expect(reported).not.toContain(secret)
})

it('continues when a listener throws, because the change is stored', async () => {
  const { alice, errors } = await served({
    onEvent: ({ type }) => {
      if (type === 'box.created') throw new Error('a broken listener')
    },
  })
  expect((await alice('POST /api/v2/boxes', { name: 'tiny' })).status).toBe(200)
  expect((await alice('GET /api/v2/box/alice/tiny')).status).toBe(200)
  expect(errors).toHaveLength(1)
})
