// What every runtime must do: services made at module scope, and each asked over `fetch`.
import { unwrap } from 'plinth'
import { createCatalog } from 'plinth/catalog'
import { compile } from 'plinth/filter'
import { createGateway } from 'plinth/gateway'
import { createRegistry } from 'plinth/registry'
import { createScheduler } from 'plinth/scheduler'
import { createSecrets } from 'plinth/secrets'

/** A service, or why this runtime cannot have it. */
const made = (create, options) => {
  try {
    return create(options)
  } catch ({ message }) {
    return message
  }
}
const secrets = made(createSecrets)
const scheduler = made(createScheduler, { place: true, simulate: true })
const catalog = made(createCatalog)
const registry = made(createRegistry)
const gateway = made(createGateway)
const services = { secrets, scheduler, catalog, registry, gateway }

const ask = (service, path, method = 'GET', body = undefined, headers = {}) =>
  service.fetch(
    new Request(`http://smoke.test${path}`, { method, headers, body: body && JSON.stringify(body) }),
  )
const json = async (...request) => (await ask(...request)).json()

const checks = {
  filter: () =>
    compile('Name matches "^w" and Size > 2').select([
      { Name: 'web', Size: 3 },
      { Name: 'db', Size: 3 },
    ]).length,
  secrets: async () => {
    const { unsealKeys, rootToken } = unwrap(await secrets.seal.initialize({ shares: 1, threshold: 1 }))
    for (const key of unsealKeys) unwrap(await secrets.seal.unseal(key))
    const token = { 'X-Vault-Token': rootToken }
    await ask(secrets, '/v1/sys/mounts/secret', 'POST', { type: 'kv', options: { version: '2' } }, token)
    await ask(secrets, '/v1/secret/data/app', 'POST', { data: { password: 'hunter2' } }, token)
    const { data } = await json(secrets, '/v1/secret/data/app', 'GET', undefined, token)
    const listed = await json(secrets, '/v1/secret/metadata?list=true', 'GET', undefined, token)
    return [data.data, listed.data.keys]
  },
  scheduler: async () => {
    const Job = {
      ID: 'web',
      Type: 'service',
      TaskGroups: [{ Name: 'web', Count: 1, Tasks: [{ Name: 'web', Driver: 'docker' }] }],
    }
    await ask(scheduler, '/v1/jobs', 'PUT', { Job })
    return (await json(scheduler, '/v1/jobs?filter=ID%20==%20"web"')).map(({ ID }) => ID)
  },
  catalog: async () => {
    unwrap(await catalog.putUser({ username: 'acme' }))
    const authorization = `Bearer ${unwrap(await catalog.createToken('acme')).token}`
    await ask(
      catalog,
      '/api/v2/boxes',
      'POST',
      { box: { username: 'acme', name: 'tiny', is_private: true } },
      { authorization },
    )
    return (await json(catalog, '/api/v2/box/acme/tiny', 'GET', undefined, { authorization })).tag
  },
  registry: async () => {
    const vpc = { namespace: 'acme', name: 'vpc', provider: 'aws' }
    unwrap(await registry.publishModule(vpc))
    unwrap(await registry.publishVersion(vpc, { version: '1.0.0', source: 'https://example.com/vpc.zip' }))
    return (await json(registry, '/v1/modules')).modules.map(({ id }) => id)
  },
  gateway: async () => (await ask(gateway, '/health')).status,
}

/** What each part answers. */
export async function smoke() {
  const answers = {}
  for (const [name, check] of Object.entries(checks))
    try {
      answers[name] = typeof services[name] === 'string' ? services[name] : await check()
    } catch (error) {
      answers[name] = String(error?.stack ?? error)
    }
  return answers
}
