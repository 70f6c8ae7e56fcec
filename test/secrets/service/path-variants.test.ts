import { expect, it } from 'vitest'
import { type Answer, asking, type Client, client } from './client.ts'

/** What is there to be read or listed, as it is kept. */
const things = [
  'GET kv/res',
  'GET secret/config',
  'GET secret/data/res',
  'GET secret/metadata/res',
  'GET secret/subkeys/res',
  'GET auth/idp/config',
  'GET auth/idp/users/res',
  'GET auth/idp/groups/res',
  'GET auth/token/roles/res',
  'GET sys/namespaces/res',
  'GET sys/policies/acl/res',
  'GET sys/policy/res',
  'GET sys/policy',
  'GET sys/config/ui/headers/Res',
  'GET sys/mounts/kv',
  'GET sys/mounts/kv/tune',
  'GET sys/auth/idp/tune',
  'GET res/kv/res',
  'LIST kv/',
  'LIST secret/metadata/',
  'LIST auth/idp/users/',
  'LIST auth/idp/groups/',
  'LIST auth/token/roles/',
  'LIST auth/token/accessors/',
  'LIST sys/namespaces/',
  'LIST sys/policies/acl/',
  'LIST sys/config/ui/headers/',
  'LIST sys/leases/lookup/',
] as const

async function furnished(): Promise<Client> {
  const made = await client()
  for (const [path, body] of [
    ['sys/mounts/kv', { type: 'kv' }],
    ['kv/res', { a: 1 }],
    ['secret/data/res', { data: { a: 1 } }],
    ['auth/idp/config', { org_name: 'acme' }],
    ['auth/idp/users/res', { policies: 'a' }],
    ['auth/idp/groups/res', { policies: 'a' }],
    ['auth/token/roles/res', {}],
    ['sys/policies/acl/res', { policy: 'path "x" { capabilities = ["read"] }' }],
    ['sys/config/ui/headers/Res', { values: ['1'] }],
    ['sys/namespaces/res', {}],
    ['res/sys/mounts/kv', { type: 'kv' }],
    ['res/kv/res', { b: 1 }],
  ] as const)
    expect((await made.ask('POST', `/v1/${path}`, body)).status).toBeLessThan(300)
  return made
}

/** Other ways to write a path, some of which may lead to the same place. */
function variantsOf(path: string): readonly string[] {
  const segments = path.split('/')
  const spellings = segments.flatMap((segment, at) =>
    segment === ''
      ? []
      : [
          segment.toUpperCase(),
          `%20${segment}`,
          `${segment}%20`,
          `${segment}%09`,
          `${segment}%00`,
          `${segment}%2f`,
          `${segment};x`,
          `/${segment}`,
          `./${segment}`,
          `%${segment.charCodeAt(0).toString(16)}${segment.slice(1)}`,
        ].map((other) => [...segments.slice(0, at), other, ...segments.slice(at + 1)].join('/')),
  )
  const ends = [path.replace(/\/$/, ''), `${path.replace(/\/$/, '')}/`, `${path}//`, `/${path}`]
  return [...new Set([...spellings, ...ends, path.replaceAll('/', '%2f')])].filter((other) => other !== path)
}

const reported = ({ text }: Answer): string => text.replace(/"request_id":"[^"]*"/, '')

it.each(things)('%s: is refused under every spelling of its path', async (thing) => {
  const { ask, service } = await furnished()
  const [method = '', path = ''] = thing.split(' ')
  const all = '["create", "read", "update", "delete", "list", "patch", "sudo"]'
  await ask('PUT', '/v1/sys/policies/acl/most', {
    policy: `path "*" { capabilities = ${all} }\npath "${path}" { capabilities = ["deny"] }`,
  })
  const made = await ask('POST', '/v1/auth/token/create', { policies: ['most'] })
  const held = asking(service, made.body.auth.client_token)
  const itself = await ask(method, `/v1/${path}`)
  expect([itself.status, (await held(method, `/v1/${path}`)).status]).toEqual([200, 403])
  for (const variant of variantsOf(path))
    for (const [verb, query] of method === 'LIST'
      ? ([
          ['LIST', ''],
          ['GET', '?list=1'],
        ] as const)
      : ([['GET', '']] as const)) {
      const url = `/v1/${variant}${query}`
      const leads = await ask(verb, url)
      if (leads.status !== 200 || reported(leads) !== reported(itself)) continue
      expect([verb, url, (await held(verb, url)).status]).toEqual([verb, url, 403])
    }
})
