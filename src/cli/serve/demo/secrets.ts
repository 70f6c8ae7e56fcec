import type { Secrets } from '../../../secrets/index.ts'

/** Each with its versions, oldest first. */
const secrets: Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>> = {
  'demo/database': [
    { username: 'app', host: 'db1.example.com', port: 5432 },
    { username: 'app', host: 'db.example.com', port: 5432 },
  ],
  'demo/cache': [{ url: 'redis://cache.example.com:6379' }],
  'demo/mail': [
    { user: 'robot', password: 'spring-2026' },
    { user: 'robot', password: 'autumn-2026' },
  ],
  'demo/payments': [{ key: 'test_4eC39' }, { key: 'test_8fJ21' }, { key: 'test_9kL07' }],
  'demo/feature-flags': [{ checkout: true, search: false }],
  'demo/oauth/github': [{ client_id: 'demo', client_secret: 'not-a-secret' }],
  'demo/oauth/gitlab': [{ client_id: 'demo', client_secret: 'not-a-secret' }],
  'demo/tls/shop': [{ certificate: '-----BEGIN CERTIFICATE-----\n…', host: 'shop.example.com' }],
  'demo/ssh/deploy': [{ user: 'deploy', host: 'web.example.com' }],
  'team/oncall': [{ phone: '+1 555 0100' }, { phone: '+1 555 0199' }],
}

const policies: Readonly<Record<string, string>> = {
  'demo-reader': 'path "secret/data/demo/*" {\n  capabilities = ["read"]\n}\n',
  'demo-writer':
    'path "secret/data/demo/*" {\n  capabilities = ["create", "read", "update", "patch"]\n}\n\npath "secret/metadata/demo/*" {\n  capabilities = ["list", "read"]\n}\n',
  oncall: 'path "secret/data/team/*" {\n  capabilities = ["read", "update"]\n}\n',
}

/** Sample secrets with their history, policies, and users whose password is their name. */
export async function demoSecrets(service: Secrets): Promise<void> {
  const { initialized, sealed } = await service.seal.status()
  if (!initialized || sealed) return
  const kv = service.kv()
  const found = await kv.list('demo')
  if (found.ok && found.value.length > 0) return
  for (const [path, versions] of Object.entries(secrets))
    for (const version of versions) await kv.write(path, version)
  for (const [name, text] of Object.entries(policies)) await service.policies.write(name, text)
  await service.mounts.enable({ path: 'auth/userpass/', type: 'userpass' })
  const users = service.userpass()
  await users.writeUser('ada', { password: 'ada', tokens: { policies: ['demo-writer', 'oncall'] } })
  await users.writeUser('grace', { password: 'grace', tokens: { policies: ['demo-reader'] } })
}
