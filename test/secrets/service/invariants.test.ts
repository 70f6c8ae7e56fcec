import { expect, it } from 'vitest'
import { memoryStore } from '../../../src/store/index.ts'
import { scriptedProvider, seededRandom } from '../../../src/testing/index.ts'
import { type Answer, asking, client } from './client.ts'

// A random life of a service against a reference that knows nothing of it but who may do what. Its tokens are told to
// the service as texts of the test's own, so that each is used again once it has ended; so is every other name.

type Verb = 'read' | 'update' | 'delete' | 'list'

/** What a policy of the reference says: one rule a pattern, where a last `*` stands for anything. */
type Rules = ReadonlyMap<string, readonly Verb[]>

interface Token {
  readonly text: string
  readonly parent: Token | undefined
  /** Which life of a namespace, and of an auth method where a login made it. */
  readonly home: Space
  readonly login: Method | undefined
  readonly policies: readonly string[]
  readonly expiresAt: number
  uses: number
  revoked: boolean
}

/** One life of an auth method. */
interface Method {
  stands: boolean
}

/** One life of a namespace. */
interface Space {
  readonly path: string
  stands: boolean
  readonly policies: Map<string, Rules>
  /** Mounts by path, with the secrets of each. */
  readonly mounts: Map<string, Map<string, string>>
  idp: Method | undefined
}

const verbOf: Readonly<Record<string, Verb>> = { GET: 'read', POST: 'update', DELETE: 'delete', LIST: 'list' }
const allVerbs: readonly Verb[] = ['read', 'update', 'delete', 'list']

const isLive = (token: Token, now: number, asksNow: boolean): boolean =>
  !token.revoked &&
  (!asksNow || token.uses !== -1) &&
  now < token.expiresAt &&
  token.home.stands &&
  (token.login?.stands ?? true) &&
  (token.parent === undefined || isLive(token.parent, now, false))

/** The one rule for a path: the exact one, or that of the longest prefix; several policies with one pattern add up. */
function isAllowed(token: Token, path: string, verb: Verb): boolean {
  if (token.policies.includes('root')) return path.startsWith(token.home.path)
  const rules = token.policies.flatMap((name) => [...(token.home.policies.get(name) ?? [])])
  const fitting = rules
    .map(([pattern, verbs]) => [token.home.path + pattern, verbs] as const)
    .filter(([pattern]) =>
      pattern.endsWith('*')
        ? path.startsWith(pattern.slice(0, -1))
        : path === pattern || (verb === 'list' && path === `${pattern}/`),
    )
    .sort(([a], [b]) => Number(a.endsWith('*')) - Number(b.endsWith('*')) || b.length - a.length)
  const [decides] = fitting
  const verbs = fitting.filter(([pattern]) => pattern === decides?.[0]).flatMap(([, granted]) => granted)
  // A rule without any right denies, whatever another policy says of the same pattern.
  return (
    verbs.includes(verb) &&
    !fitting.some(([pattern, granted]) => pattern === decides?.[0] && granted.length === 0)
  )
}

const textOf = (rules: Rules): string =>
  [...rules]
    .map(([pattern, verbs]) => {
      const names =
        verbs.length === 0
          ? ['deny']
          : verbs.flatMap((verb) => (verb === 'update' ? ['create', 'update'] : [verb]))
      return `path "${pattern}" { capabilities = ${JSON.stringify(names)} }`
    })
    .join('\n')

async function world(seed: number) {
  const random = seededRandom(seed)
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T
  const store = memoryStore()
  const dump = async () => JSON.stringify(await store.read((view) => view.scan({ prefix: '' })))
  const made = await client({
    store,
    idpProvider: scriptedProvider({ users: { ada: { password: 'password-canary' } } }),
  })
  const { ask, clock, service, errors, unsealKeys } = made
  await ask('DELETE', '/v1/sys/auth/idp')
  const newSpace = (path: string): Space => ({
    path,
    stands: true,
    policies: new Map(),
    mounts: new Map(),
    idp: undefined,
  })
  const root = newSpace('')
  root.mounts.set('secret/', new Map())
  await ask('DELETE', '/v1/sys/mounts/secret')
  await ask('POST', '/v1/sys/mounts/secret', { type: 'kv' })
  const spaces = new Map<string, Space>([['', root]])
  const chosen = Array.from({ length: 8 }, (_, n) => `token-canary-${n}`)
  const texts = [...chosen]
  const tokens = new Map<string, Token>()
  let sealed = false
  let count = 0

  const names = ['a', 'b', 'c'] as const
  const mountNames = ['secret/', 'kv/'] as const
  const somePattern = () =>
    `${pick(['', '', 'a/'])}${pick([...mountNames, 'sys/policies/acl/', 'auth/token/'])}${pick(['*', 'x', 'y', 'x/*', 'x/z'])}`
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
      await ask('POST', `/v1/${space.path}sys/mounts/${path.slice(0, -1)}`, { type: 'kv' })
      space.mounts.set(path, new Map())
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
      const { status } = await asked('POST', `/v1/${home.path}auth/token/create${parent ? '' : '-orphan'}`, {
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
        expiresAt: clock.now() + ttl * 1000,
        uses,
        revoked: false,
      })
    },
    revoke: async () => {
      const token = tokens.get(pick(texts))
      if (token === undefined) return
      await ask('POST', '/v1/auth/token/revoke', { token: token.text })
      token.revoked = true
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
        expiresAt: clock.now() + 600_000,
        uses: 0,
        revoked: false,
      })
    },
    wait: () => clock.advance(pick([1, 1000, 60_000, 600_000])),
    sweep: () => service.sweep(),
    seal: async () => {
      sealed = true
      await ask('PUT', '/v1/sys/seal')
    },
  }

  /** No answer says what nobody asked to be told: a secret, a token's text, a password. */
  const tells = ({ text }: Answer): boolean => text.includes('canary')

  /** What the holder of a token asks for; the reference says whether it may. */
  const request = async () => {
    const token = tokens.get(pick(texts))
    if (token === undefined) return
    const space = pick([...spaces.values()])
    const mount = pick(mountNames)
    const key = pick(['x', 'y', 'x/z'])
    const method = pick(['GET', 'GET', 'POST', 'DELETE', 'LIST'])
    const where = `${mount}${method === 'LIST' ? pick(['', 'x/']) : key}`
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
      method === 'POST' ? { v: secret } : undefined,
      header,
    )
    const what = `${seed}: ${method} ${space.path}${where} by ${JSON.stringify(token.policies)} of "${token.home.path}"`
    expect(answer.status, what).not.toBe(500)
    if (sealed) {
      expect([what, answer.status, tells(answer)]).toEqual([what, 503, false])
      return
    }
    const held = space.mounts.get(mount)
    if (counted) token.uses = token.uses === 1 ? -1 : token.uses - 1
    if (!may) {
      expect([what, answer.status, tells(answer)]).toEqual([what, 403, false])
      // Nothing changes, but that a use was counted.
      if (!counted) expect(await dump(), what).toBe(before)
    } else if (held === undefined) expect([what, answer.status, tells(answer)]).toEqual([what, 404, false])
    else if (method === 'GET') {
      expect([what, answer.body.data?.v]).toEqual([what, held.get(key)])
    } else if (method === 'LIST') {
      const folder = where.slice(mount.length)
      const below = [...held.keys()]
        .filter((one) => one.startsWith(folder))
        .map((one) => one.slice(folder.length))
      const keys = [...new Set(below.map((one) => one.replace(/\/.*/, '/')))].sort()
      expect([what, answer.body.data?.keys ?? []]).toEqual([what, keys])
    } else {
      expect([what, answer.status]).toEqual([what, 204])
      if (method === 'POST') held.set(key, secret)
      else held.delete(key)
    }
  }

  /** Whatever has ended stays so, whatever came after it under the same name; what lives is what the reference says. */
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
    expect(errors).toEqual([])
  }

  return {
    random,
    pick,
    acts,
    request,
    judge,
    isSealed: () => sealed,
    unseal: async () => {
      sealed = false
      for (const key of unsealKeys) await service.seal.unseal(key)
    },
  }
}

it.each([1, 2, 3, 4, 5, 6])(
  'nobody gets what no living policy of a living token gives (seed %i)',
  async (seed) => {
    const { random, pick, acts, request, judge, isSealed, unseal } = await world(seed)
    const likely = [
      'writePolicy',
      'writePolicy',
      'makeToken',
      'makeToken',
      'makeToken',
      'mount',
      'login',
      ...Object.keys(acts),
    ]
    for (let step = 0; step < 250; step += 1) {
      if (isSealed() && random() < 0.5) await unseal()
      if (!isSealed() && random() < 0.3) await acts[pick(likely)]?.()
      else await request()
      if (!isSealed() && step % 25 === 24) await judge()
    }
  },
)
