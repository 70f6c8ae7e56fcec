import { fromBase32, totp } from '../../../src/crypto/index.ts'
import { unwrap } from '../../../src/kernel/index.ts'
import { served } from '../../catalog/catalog.ts'
import { askingAsDocumented } from '../documented.ts'
import { repeatable, tour } from './tour.ts'

/** A catalog in which alice is an administrator, and ways to ask it as her and as anyone. */
async function administered() {
  const crypto = repeatable()
  const made = await served({
    crypto,
    webhooks: { problem: () => undefined, post: async () => 200 },
    deliverCode: async () => undefined,
  })
  unwrap(await made.catalog.putUser({ username: 'alice', administrator: true, phone: '+1 555 010 1234' }))
  const { token } = unwrap(await made.catalog.createToken('alice', { description: 'admin' }))
  const asAlice = askingAsDocumented(made.catalog, { authorization: `Bearer ${token}` })
  return { ...made, crypto, asAlice, anyone: askingAsDocumented(made.catalog) }
}

async function uploadsAndDownloads() {
  const { catalog, asAlice, anyone } = await administered()
  const version = '/api/v2/box/alice/tiny/version/1.0.0'
  const qemu = `${version}/provider/qemu/amd64`
  const pathOf = (url: string) => new URL(url).pathname
  const upload = await tour(asAlice, [
    ['POST /api/v2/boxes', 200, { box: { name: 'tiny', is_private: false } }],
    ['POST /api/v2/box/alice/tiny/versions', 200, { version: { version: '1.0.0' } }],
    [`POST ${version}/providers`, 200, { provider: { name: 'qemu', architecture: 'amd64' } }],
    [`GET ${qemu}/upload`, 200],
  ])
  await tour(anyone, [[`PUT ${pathOf(upload.upload_path)}`, 200, 'bytes of an image']])
  for (const at of [qemu, '/api/v1/box/alice/tiny/version/1.0.0/provider/qemu']) {
    const direct = await tour(asAlice, [[`GET ${at}/upload/direct`, 200]])
    await tour(anyone, [[`PUT ${pathOf(direct.upload_path)}`, 200, 'bytes of an image']])
    await tour(asAlice, [[`PUT ${pathOf(direct.callback)}`, 200]])
  }
  await tour(asAlice, [[`PUT ${version}/release`, 200]])
  await tour(anyone, [
    ['GET /alice/boxes/tiny/versions/1.0.0/providers/qemu/amd64/vagrant.box', 200],
    ['GET /alice/boxes/tiny/versions/1.0.0/providers/qemu.box', 200],
  ])
  const old = '2019-05-06T07:08:09.000Z'
  await tour(asAlice, [
    [
      'PUT /plinth/v1/owners/alice/boxes/tiny/history',
      204,
      {
        created_at: old,
        downloads: 1234,
        versions: [{ version: '1.0.0', created_at: old, updated_at: old }],
      },
    ],
    [`DELETE ${version}/provider/qemu`, 200],
  ])
  await catalog.close()
}

async function usersAndMembers() {
  const { catalog, asAlice } = await administered()
  await tour(asAlice, [
    ['POST /api/v2/boxes', 200, { box: { name: 'tiny' } }],
    ['POST /api/v2/users', 200, { user: { username: 'bob', password: 'battery staple' } }],
    ['PUT /plinth/v1/users/bob', 200, { email: 'bob@example.com' }],
    ['POST /plinth/v1/organizations', 200, { username: 'acme', members: ['alice'] }],
    ['PUT /plinth/v1/organizations/acme', 200, { members: ['alice', 'bob'] }],
    ['PUT /plinth/v1/owners/alice/members/bob', 200, { role: 'reader' }],
    ['DELETE /plinth/v1/owners/alice/members/bob', 204],
    ['PUT /plinth/v1/owners/alice/boxes/tiny/members/bob', 200, { role: 'publisher' }],
    ['GET /plinth/v1/owners/alice/boxes/tiny/members', 200],
    ['DELETE /plinth/v1/owners/alice/boxes/tiny/members/bob', 204],
    ['DELETE /plinth/v1/organizations/acme', 204],
    ['DELETE /plinth/v1/users/bob', 204],
    ['POST /plinth/v1/tokens', 200, { username: 'alice', description: 'ci' }],
  ])
  const { tokens } = await tour(asAlice, [['GET /plinth/v1/tokens', 200]])
  const webhook = await tour(asAlice, [
    [
      `DELETE /plinth/v1/tokens/${tokens.find((each: { description: string }) => each.description === 'ci').id}`,
      204,
    ],
    ['POST /plinth/v1/webhooks', 200, { url: 'https://example.com/hook', events: ['version.released'] }],
  ])
  await tour(asAlice, [
    ['GET /plinth/v1/webhooks', 200],
    [`DELETE /plinth/v1/webhooks/${webhook.id ?? webhook.webhook?.id}`, 204],
  ])
  await catalog.close()
}

async function ownAccount() {
  const { catalog, clock, crypto, anyone } = await administered()
  unwrap(await catalog.putUser({ username: 'bob', password: 'correct horse' }))
  const reached = { login: 'alice', password: 'correct horse' }
  const user = { ...reached, login: 'bob' }
  const code = (secret: string) => totp(crypto, fromBase32(secret) ?? new Uint8Array(), clock.now())
  const root = '/plinth/v1/user'
  const { secret } = await tour(anyone, [
    ['POST /api/v1/two-factor/request-code', 200, { user: reached, two_factor: { delivery_method: 'sms' } }],
    [`POST ${root}/two-factor`, 200, { user }],
  ])
  await tour(anyone, [[`PUT ${root}/two-factor`, 200, { user, new_code: code(secret) }]])
  await clock.advance(60_000)
  await tour(anyone, [[`POST ${root}/two-factor/disable`, 204, { user, two_factor: { code: code(secret) } }]])
  await tour(anyone, [[`PUT ${root}/password`, 204, { user, new_password: 'battery staple' }]])
  await catalog.close()
}

/** The endpoints that need what others have answered, by what they are about. */
export const catalogTours: Readonly<Record<string, () => Promise<void>>> = {
  'uploads and downloads': uploadsAndDownloads,
  'users, members and webhooks': usersAndMembers,
  'the account of a user': ownAccount,
}
