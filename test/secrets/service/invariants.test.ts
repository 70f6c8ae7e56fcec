import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createSecrets, type Secrets } from '../../../src/secrets/index.ts'
import { memoryStore, type Store } from '../../../src/store/index.ts'
import { sqliteStore } from '../../../src/store/sqlite/index.ts'
import { scriptedProvider } from '../../../src/testing/index.ts'
import { chances } from '../../chances.ts'
import { type Answer, asking, type Client, client } from './client.ts'
import {
  allVerbs,
  type Held,
  isAllowed,
  isLive,
  newSpace,
  type Rules,
  type Space,
  type Token,
  textOf,
  type Verb,
  verbOf,
  type Wrapped,
} from './reference.ts'

// A random life of a service against a reference that knows nothing of it but who may do what. Its tokens are told to
// the service as texts of the test's own, so that each is used again once it has ended; so is every other name.

/** @param openStore - opens the store, again too: durable ones hold what they held */
async function world(seed: number, openStore: () => Promise<Store>, isDurable: boolean) {
  const { random, pick } = chances(seed)
  let store = await openStore()
  const dump = async () => JSON.stringify(await store.read((view) => view.scan({ prefix: '' })))
  const idpProvider = scriptedProvider({ users: { ada: { password: 'password-canary' } } })
  const made = await client({ store, idpProvider })
  const { clock, unsealKeys } = made
  const errors: unknown[] = []
  let service: Secrets = made.service
  const ask: Client['ask'] = (...asked) => asking(service, 'root')(...asked)
  await ask('DELETE', '/v1/sys/auth/idp')
  const root = newSpace('')
  const version = seed % 2 === 0 ? 1 : 2
  root.mounts.set('secret/', { version, secrets: new Map() })
  await ask('DELETE', '/v1/sys/mounts/secret')
  await ask('POST', '/v1/sys/mounts/secret', { type: 'kv', options: { version: String(version) } })
  const spaces = new Map<string, Space>([['', root]])
  const chosen = Array.from({ length: 8 }, (_, n) => `token-canary-${n}`)
  const texts = [...chosen]
  const tokens = new Map<string, Token>()
  const wraps: Wrapped[] = []
  let sealed = false
  let count = 0

  const names = ['a', 'b', 'c'] as const
  const mountNames = ['secret/', 'kv/'] as const
  const somePattern = () =>
    `${pick(['', '', 'a/'])}${pick([...mountNames, 'sys/policies/acl/', 'auth/token/'])}${pick(['*', '*', '*', 'x', 'y', 'x/*', 'x/z', 'data/*', 'data/x', 'metadata/*'])}`
  const someRules = (): Rules =>
    new Map(
      Array.from({ length: 1 + Math.floor(random() * 3) }, () => [
        somePattern(),
        allVerbs.filter(() => random() < 0.6),
      ]),
    )

  /** What the operator does: it always works, and the reference takes note. */
  const acts: Readonly<Record<string, () => Promise<unknown>>> = {
    makeNamespace: async () => {
      const path = pick(['a/', 'a/b/'])
      const parent = spaces.get(path === 'a/' ? '' : 'a/')
      if (parent === undefined || spaces.has(path)) return
      await ask('POST', `/v1/${parent.path}sys/namespaces/${path.split('/').at(-2)}`)
      spaces.set(path, newSpace(path))
    },
    dropNamespace: async () => {
      const path = spaces.has('a/b/') ? 'a/b/' : 'a/'
      const space = spaces.get(path)
      if (space === undefined) return
      await ask('DELETE', `/v1/${path === 'a/' ? '' : 'a/'}sys/namespaces/${path.split('/').at(-2)}`)
      space.stands = false
      spaces.delete(path)
    },
    mount: async () => {
      const [space, path] = [pick([...spaces.values()]), pick(mountNames)]
      if (space.mounts.has(path)) return
      const version = pick([1, 2] as const)
      await ask('POST', `/v1/${space.path}sys/mounts/${path.slice(0, -1)}`, {
        type: 'kv',
        options: { version: String(version) },
      })
      space.mounts.set(path, { version, secrets: new Map() })
    },
    unmount: async () => {
      const [space, path] = [pick([...spaces.values()]), pick(mountNames)]
      await ask('DELETE', `/v1/${space.path}sys/mounts/${path.slice(0, -1)}`)
      space.mounts.delete(path)
    },
    writePolicy: async () => {
      const [space, name, rules] = [pick([...spaces.values()]), pick(names), someRules()]
      await ask('POST', `/v1/${space.path}sys/policies/acl/${name}`, { policy: textOf(rules) })
      space.policies.set(name, rules)
    },
    dropPolicy: async () => {
      const [space, name] = [pick([...spaces.values()]), pick(names)]
      await ask('DELETE', `/v1/${space.path}sys/policies/acl/${name}`)
      space.policies.delete(name)
    },
    writeRole: async () => {
      const [space, name, ttl] = [pick([...spaces.values()]), pick(names), pick([60, 600, 6000])]
      await ask('POST', `/v1/${space.path}auth/token/roles/${name}`, { period: ttl, renewable: true })
      space.roles.set(name, ttl)
    },
    dropRole: async () => {
      const [space, name] = [pick([...spaces.values()]), pick(names)]
      await ask('DELETE', `/v1/${space.path}auth/token/roles/${name}`)
      space.roles.delete(name)
    },
    renew: async () => {
      const token = tokens.get(pick(texts))
      if (token === undefined || token.text.startsWith('b.')) return
      const now = clock.now()
      const { status, body } = await ask('POST', '/v1/auth/token/renew', { token: token.text })
      // What its role says now counts, also where another role has come to bear the name.
      const period = token.role === undefined ? undefined : token.home.roles.get(token.role)
      const may =
        isLive(token, now, true) &&
        token.login === undefined &&
        (token.role === undefined || period !== undefined)
      if (token.login === undefined) expect([token, status]).toEqual([token, may ? 200 : 400])
      if (status !== 200) return
      if (period !== undefined) expect(body.auth.lease_duration).toBe(period)
      token.expiresAt = now + body.auth.lease_duration * 1000
    },
    wrap: async () => {
      const [home, ttl, value] = [pick([...spaces.values()]), pick([60, 600]), `secret-canary-${++count}`]
      const { body } = await ask(
        'POST',
        `/v1/${home.path}sys/wrapping/wrap`,
        { v: value },
        { 'X-Secrets-Wrap-TTL': String(ttl) },
      )
      const text: string = body.wrap_info.token
      wraps.push({ text, value, home, expiresAt: clock.now() + ttl * 1000, used: false })
    },
    rewrap: async () => {
      const wrapped = pick(wraps)
      if (wrapped === undefined) return
      const holds = !wrapped.used && clock.now() < wrapped.expiresAt && wrapped.home.stands
      const { status, body } = await ask('POST', `/v1/${wrapped.home.path}sys/wrapping/rewrap`, {
        token: wrapped.text,
      })
      expect([wrapped, status]).toEqual([wrapped, holds ? 200 : expect.any(Number)])
      if (!holds) return
      wrapped.used = true
      const { token, ttl } = body.wrap_info
      wraps.push({ ...wrapped, text: token, expiresAt: clock.now() + ttl * 1000, used: false })
    },
    restart: async () => {
      if (!isDurable) return
      await service.close()
      await store.close()
      store = await openStore()
      service = createSecrets({
        store,
        idpProvider,
        env: clock.env,
        timers: clock.timers,
        onError: (error) => errors.push(error),
      })
      for (const key of unsealKeys) await service.seal.unseal(key)
    },
    makeToken: async () => {
      const [home, text] = [pick([...spaces.values()]), pick(chosen)]
      const parent =
        random() < 0.5
          ? [...tokens.values()].find((one) => one.policies.includes('root') && one.home === root)
          : undefined
      const before = tokens.get(text)
      if (before && isLive(before, clock.now(), true)) return
      // What has ended and is not swept yet still has its text.
      await service.sweep()
      const policies = random() < 0.2 ? ['root'] : names.filter(() => random() < 0.5)
      const uses = policies.includes('root') ? 0 : pick([0, 0, 0, 2])
      const ttl = pick([60, 600, 6000])
      const mayMake = parent === undefined || (isLive(parent, clock.now(), true) && parent.uses === 0)
      const asked = parent === undefined ? ask : asking(service, parent.text)
      const role = random() < 0.5 ? pick([...home.roles.keys()]) : undefined
      const where = role === undefined ? (parent ? 'create' : 'create-orphan') : `create/${role}`
      const { status, body } = await asked('POST', `/v1/${home.path}auth/token/${where}`, {
        id: text,
        policies: policies.length === 0 ? ['none'] : policies,
        no_default_policy: true,
        ttl,
        ...(uses === 0 ? {} : { num_uses: uses }),
      })
      expect([status, mayMake]).toEqual([mayMake ? 200 : 403, mayMake])
      if (!mayMake) return
      tokens.set(text, {
        text,
        parent,
        home,
        login: undefined,
        policies,
        role,
        expiresAt: clock.now() + body.auth.lease_duration * 1000,
        uses,
        revoked: false,
      })
    },
    revoke: async () => {
      const token = tokens.get(pick(texts))
      if (token === undefined) return
      // A batch token is in no store: it lives until its time is over.
      const isBatch = token.text.startsWith('b.') && isLive(token, clock.now(), true)
      const { status } = await ask('POST', '/v1/auth/token/revoke', { token: token.text })
      expect(status).toBe(isBatch ? 400 : 204)
      if (!isBatch) token.revoked = true
    },
    makeMethod: async () => {
      const space = pick([...spaces.values()])
      if (space.idp) return
      await ask('POST', `/v1/${space.path}sys/auth/idp`, { type: 'idp' })
      await ask('POST', `/v1/${space.path}auth/idp/config`, {
        org_name: 'acme',
        token_policies: 'a',
        token_no_default_policy: true,
        token_type: pick(['service', 'batch']),
        token_ttl: 600,
      })
      space.idp = { stands: true }
    },
    dropMethod: async () => {
      const space = pick([...spaces.values()])
      if (space.idp === undefined) return
      await ask('DELETE', `/v1/${space.path}sys/auth/idp`)
      space.idp.stands = false
      space.idp = undefined
    },
    moveMethod: async () => {
      const space = pick([...spaces.values()])
      if (space.idp === undefined) return
      for (const [from, to] of [
        ['idp', 'moved'],
        ['moved', 'idp'],
      ])
        await ask('POST', `/v1/${space.path}sys/remount`, { from: `auth/${from}`, to: `auth/${to}` })
      space.idp.stands = false
      space.idp = { stands: true }
    },
    login: async () => {
      const space = pick([...spaces.values()])
      const { status, body } = await asking(service, undefined)(
        'POST',
        `/v1/${space.path}auth/idp/login/ada`,
        {
          password: pick(['password-canary', 'wrong-canary']),
        },
      )
      if (status !== 200) return
      expect(space.idp).toBeDefined()
      const text: string = body.auth.client_token
      texts.push(text)
      tokens.set(text, {
        text,
        parent: undefined,
        home: space,
        login: space.idp,
        policies: ['a'],
        role: undefined,
        expiresAt: clock.now() + 600_000,
        uses: 0,
        revoked: false,
      })
    },
    wait: async () => {
      await clock.advance(pick([1, 1000, 60_000, 600_000]))
      // Whose commits take their time may still be sweeping: nothing else is to be seen changing meanwhile.
      if (isDurable) await service.sweep()
    },
    sweep: () => service.sweep(),
    seal: async () => {
      sealed = true
      await ask('PUT', '/v1/sys/seal')
    },
  }

  /** No answer leaks what was not requested: a secret, a token's text, a password. */
  const tells = ({ text }: Answer): boolean => text.includes('canary')

  /** What the holder of a token asks for; the reference says whether it may. */
  const request = async () => {
    const living = [...tokens.values()].filter((one) => isLive(one, clock.now(), true))
    const token = random() < 0.7 ? pick(living) : tokens.get(pick(texts))
    if (token === undefined) return
    const space = pick([...spaces.values()])
    const mount = pick(mountNames)
    const key = pick(['x', 'y', 'x/z'])
    const method = pick(['GET', 'GET', 'POST', 'DELETE', 'LIST'])
    const held = space.mounts.get(mount)
    const within = held?.version === 2 ? (method === 'LIST' ? 'metadata/' : 'data/') : ''
    const folder = method === 'LIST' ? pick(['', 'x/']) : ''
    const where = `${mount}${within}${method === 'LIST' ? folder : key}`
    const split = random() < 0.5
    const [header, path] = split ? [{ 'X-Secrets-Namespace': space.path }, where] : [{}, space.path + where]
    const may =
      isLive(token, clock.now(), true) && isAllowed(token, space.path + where, verbOf[method] as Verb)
    const counted = isLive(token, clock.now(), true) && token.uses > 0
    const before = await dump()
    const secret = `secret-canary-${++count}`
    const answer = await asking(service, token.text)(
      method,
      `/v1/${path}`,
      method !== 'POST' ? undefined : held?.version === 2 ? { data: { v: secret } } : { v: secret },
      header,
    )
    const what = `${seed}: ${method} ${space.path}${where} by ${JSON.stringify(token.policies)} of "${token.home.path}"`
    expect(answer.status, what).not.toBe(500)
    if (sealed) {
      expect([what, answer.status, tells(answer)]).toEqual([what, 503, false])
      return
    }
    if (counted) token.uses = token.uses === 1 ? -1 : token.uses - 1
    if (!may) {
      expect([what, answer.status, tells(answer)]).toEqual([what, 403, false])
      // Nothing changes, but that a use was counted.
      if (!counted) expect(await dump(), what).toBe(before)
    } else if (held === undefined) expect([what, answer.status, tells(answer)]).toEqual([what, 404, false])
    else {
      const found = keep(held, method, key, folder, secret)
      expect([what, answer.status, readOf(held, answer)]).toEqual([what, found.status, found.value])
    }
  }

  /** What a mount gives for a request, and keeps of it. */
  const keep = ({ version, secrets }: Held, method: string, key: string, folder: string, secret: string) => {
    if (method === 'GET')
      return { status: secrets.get(key) === undefined ? 404 : 200, value: secrets.get(key) }
    if (method === 'LIST') {
      const below = [...secrets.keys()].filter((one) => one.startsWith(folder))
      const names = below.map((one) => one.slice(folder.length).replace(/\/.*/, '/'))
      const keys = [...new Set(names)].sort()
      return { status: keys.length === 0 ? 404 : 200, value: keys.length === 0 ? undefined : keys }
    }
    if (method === 'POST') secrets.set(key, secret)
    else if (version === 1) secrets.delete(key)
    else if (secrets.has(key)) secrets.set(key, undefined)
    return { status: method === 'POST' && version === 2 ? 200 : 204, value: undefined }
  }
  const readOf = ({ version }: Held, { body }: Answer): unknown =>
    body?.data?.keys ?? (version === 1 ? body?.data?.v : body?.data?.data?.v)

  /** A wrapping token returns the wrapped data once, before it expires; any other use spends it too. */
  const unwrap = async () => {
    const wrapped = pick(wraps)
    if (wrapped === undefined) return
    const holds = !sealed && !wrapped.used && clock.now() < wrapped.expiresAt && wrapped.home.stands
    const holder = asking(service, wrapped.text)
    const isMeant = random() < 0.8
    const answers = isMeant
      ? await Promise.all([1, 2].map(() => holder('POST', `/v1/${wrapped.home.path}sys/wrapping/unwrap`)))
      : [await holder('GET', '/v1/secret/x')]
    const reported = answers.filter(({ body }) => body.data?.v === wrapped.value)
    expect([wrapped, reported.length]).toEqual([wrapped, holds && isMeant ? 1 : 0])
    expect(answers.filter(tells)).toEqual(reported)
    if (holds) wrapped.used = true
  }

  /** What has ended stays ended, also when its name is used again; what lives matches the reference. */
  const judge = async () => {
    for (const token of [...tokens.values()]) {
      if (token.uses !== 0) continue
      const { status } = await asking(service, token.text)('POST', '/v1/sys/wrapping/lookup', {
        token: token.text,
      })
      const lookup = await ask('POST', '/v1/auth/token/lookup', { token: token.text })
      const alive = isLive(token, clock.now(), true)
      expect([token.text, token.home.path, lookup.status, status]).toEqual([
        token.text,
        token.home.path,
        alive ? 200 : 403,
        400,
      ])
    }
    expect([...made.errors, ...errors]).toEqual([])
  }

  return {
    random,
    pick,
    acts,
    request,
    unwrap,
    judge,
    close: async () => {
      await service.close()
      await store.close()
    },
    isSealed: () => sealed,
    unseal: async () => {
      sealed = false
      for (const key of unsealKeys) await service.seal.unseal(key)
    },
  }
}

async function live(seed: number, openStore: () => Promise<Store>, steps: number, isDurable = false) {
  const { random, pick, acts, request, unwrap, judge, isSealed, unseal, close } = await world(
    seed,
    openStore,
    isDurable,
  )
  const likely = [
    'writePolicy',
    'writePolicy',
    'makeToken',
    'makeToken',
    'makeToken',
    'mount',
    'login',
    'wrap',
    'wrap',
    'writeRole',
    'renew',
    'renew',
    ...Object.keys(acts),
  ]
  for (let step = 0; step < steps; step += 1) {
    if (isSealed() && random() < 0.5) await unseal()
    const dice = random()
    if (!isSealed() && dice < 0.3) await acts[pick(likely)]?.()
    else if (dice < 0.35) await unwrap()
    else await request()
    if (!isSealed() && step % 25 === 24) await judge()
  }
  await close()
}

it.each([1, 2, 3, 4, 5, 6])('no caller gets what no live policy of a live token grants (seed %i)', (seed) =>
  live(seed, async () => memoryStore(), 300),
)

it.each([7, 8])('nor after restarts on a store that lasts (seed %i)', async (seed) => {
  const directory = await mkdtemp(join(tmpdir(), 'plinth-secrets-'))
  try {
    await live(seed, () => sqliteStore(join(directory, 'a.sqlite'), { realm: 'secrets' }), 200, true)
  } finally {
    await rm(directory, { recursive: true })
  }
})
