import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import * as catalog from '../../src/catalog/index.ts'
import * as gateway from '../../src/gateway/index.ts'
import { readArguments } from '../../src/operation/arguments.ts'
import * as registry from '../../src/registry/index.ts'
import * as scheduler from '../../src/scheduler/index.ts'
import * as acl from '../../src/secrets/acl/index.ts'
import * as approle from '../../src/secrets/approle/index.ts'
import * as idp from '../../src/secrets/idp/index.ts'
import * as jwt from '../../src/secrets/jwt/index.ts'
import * as kv from '../../src/secrets/kv.ts'
import * as tokens from '../../src/secrets/tokens/index.ts'
import * as transit from '../../src/secrets/transit/index.ts'
import * as userpass from '../../src/secrets/userpass/index.ts'
import { memoryStore } from '../../src/store/index.ts'
import { testClock } from '../../src/testing/index.ts'
import { everyMethod, type Method } from './every-method.ts'
import { services, takesAway } from './every-service.ts'

const engines = {
  kv,
  tokens,
  acl,
  idp,
  userpass,
  approle,
  jwt,
  transit,
  scheduler,
  gateway,
  catalog,
  registry,
}

type Call = (...given: readonly unknown[]) => unknown

const sourceOf = (call: Call): string => Function.prototype.toString.call(call)

/** Every command takes (state, input, env, policy?). */
const commands = Object.entries(engines).flatMap(([engine, exported]) =>
  Object.entries(exported).flatMap(([name, value]): [string, Call][] =>
    typeof value === 'function' &&
    !sourceOf(value as Call).startsWith('class') &&
    /\(([^)=]*)\binput\b/.test(sourceOf(value as Call).slice(0, 200))
      ? [[`${engine} ${name}`, value as Call]]
      : [],
  ),
)

/** Values of any field, so that some commands get far. */
const scalar = fc.oneof(
  fc.constantFrom('a', 'ada', '1.0.0', 'default', 'web', 'service', 'https://a.test/x.zip', 'k=v'),
  fc.boolean(),
  fc.nat(20),
)
const data = fc.oneof(
  fc.array(fc.constantFrom('a', 'default'), { maxLength: 3 }),
  fc.dictionary(fc.constantFrom('a', 'b', 'owner'), fc.constantFrom('x', 'y'), { maxKeys: 3 }),
)

/** The fields that take data; a value of the wrong type elsewhere is a mistake, which some commands keep. */
const takesData =
  /^(?:meta|data|options|labels|members|namespaces|keys|versions|tags|attributes|drivers)$|metadata$|cidrs$|policies$|groups$|list$/i
const fieldOf = (name: string) => (takesData.test(name) ? data : scalar)

/** The names of the fields that a command takes from its input, as its source has them. */
const fieldsOf = (call: Call): readonly string[] => [
  ...new Set([
    ...[...sourceOf(call).matchAll(/input\.(\w+)/g)].map(([, name = '']) => name),
    ...(/const \{([^}]*)\} = input/.exec(sourceOf(call))?.[1] ?? '')
      .split(',')
      .map((name) => name.trim().split(/[:\s=]/)[0] ?? '')
      .filter((name) => /^\w+$/.test(name)),
  ]),
]

/** The data itself, and everything within. */
function* within(value: unknown): Generator<object> {
  if (typeof value !== 'object' || value === null) return
  yield value
  for (const inner of Object.values(value)) yield* within(inner)
}

const attempt = (call: Call, ...given: readonly unknown[]): unknown => {
  try {
    return call(...given)
  } catch {
    return undefined
  }
}

describe('the objects that a caller passes stay the caller’s', () => {
  it('finds the commands', () => expect(commands.length).toBeGreaterThan(60))

  it.each(commands)('%s', (_name, command) => {
    const names = fieldsOf(command)
    const inputs = fc.record(Object.fromEntries(names.map((name) => [name, fieldOf(name)])), {
      requiredKeys: [],
    })
    fc.assert(
      fc.property(inputs, fc.constantFrom<unknown>(undefined, {}, { mounts: {} }), (input, state) => {
        let ids = 0
        const env = { now: 1_000, newId: (kind: string) => `${kind}-${ids++}` }
        const before = structuredClone(input)
        const outcome = attempt(command, state, input, env)
        expect(input).toEqual(before)
        const own = new Set(within(input))
        for (const part of own) expect(Object.isFrozen(part)).toBe(false)
        // Nor is any of it kept: what is used again later would change what was decided.
        const kept = (outcome as { ok?: boolean; state?: unknown } | undefined)?.ok === true
        if (kept)
          for (const part of within((outcome as { state?: unknown }).state)) expect(own.has(part)).toBe(false)
      }),
      { numRuns: 40 },
    )
  })

  it('every method of a service gets copies of its arguments', () => {
    fc.assert(
      fc.property(fc.array(fc.object({ maxDepth: 3 }), { maxLength: 3 }), (given) => {
        const before = structuredClone(given)
        const takes = given.map((_, at) => ({ name: `argument ${at}`, check: () => undefined }))
        const read = readArguments(takes, given)
        const own = new Set(within(given))
        for (const part of own) expect(Object.isFrozen(part)).toBe(false)
        expect(given).toEqual(before)
        if ('values' in read)
          for (const part of within(read.values.slice()))
            expect(
              own.has(part) && !Array.isArray(part) && Object.getPrototypeOf(part) === Object.prototype,
            ).toBe(false)
      }),
    )
  })
})

/** A copy of the data within arguments; streams and functions stay. */
const copied = <Value>(value: Value): Value => {
  if (typeof value !== 'object' || value === null || isStream(value)) return value
  if (Array.isArray(value)) return value.map(copied) as Value
  if (Object.getPrototypeOf(value) !== Object.prototype) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, copied(inner)])) as Value
}
const isStream = (value: object) => Symbol.asyncIterator in value

/** Changes everything within, as a caller may who uses an object again. */
function reuse(value: unknown): void {
  for (const part of within(value)) {
    if (isStream(part)) continue
    for (const [key, inner] of Object.entries(part))
      if (typeof inner === 'string') Reflect.set(part, key, `${inner} again`)
    Reflect.set(part, Array.isArray(part) ? part.length : 'more', 'again')
  }
}

/** Calls with arguments that a method may be passed beside those that it needs; each succeeds, and in this order. */
const fuller: Readonly<Record<string, readonly (readonly [name: string, ...given: unknown[]])[]>> = {
  catalog: [
    ['createBox', { username: 'xx', name: 'described', description: 'a', private: true }],
    ['createVersion', { username: 'xx', name: 'described' }, { version: '1.0.0', description: 'a' }],
  ],
  registry: [
    ['publishModule', { namespace: 'acme', name: 'vpc', provider: 'aws', description: 'a' }],
    ['updateModule', { namespace: 'acme', name: 'vpc', provider: 'aws' }, { labels: ['a'] }],
  ],
  scheduler: [
    ['upsertPool', { Name: 'xx', Meta: { a: 'b' } }, { token: 'root' }],
    ['upsertNamespace', { Name: 'xx', Meta: { a: 'b' } }, { token: 'root' }],
    ['registerNode', { ID: 'xx', Attributes: { a: 'b' }, Meta: { a: 'b' } }, { token: 'root' }],
    [
      'registerJob',
      {
        ID: 'web',
        Type: 'batch',
        Meta: { a: 'b' },
        ParameterizedJob: { MetaOptional: ['c'] },
        TaskGroups: [
          { Name: 'app', Meta: { a: 'b' }, Tasks: [{ Name: 't', Driver: 'docker', Config: { image: 'x' } }] },
        ],
      },
      { token: 'root' },
    ],
    ['dispatchJob', 'web', { meta: { c: 'd' } }, { token: 'root' }],
  ],
  secrets: [
    ['mounts.enable', { path: 'team/', type: 'kv', options: { version: '2' }, description: 'a' }],
    ['mounts.tune', { path: 'team/', description: 'b', options: { version: '2' } }],
    ['kv().write', 'xx', { password: 'hunter2', nested: { list: ['a', { b: 'c' }] } }],
    ['kv().writeMetadata', 'xx', { customMetadata: { owner: 'ada' } }],
    ['kv().patchMetadata', 'xx', { customMetadata: { team: 'a' } }],
    ['tokens.create', { policies: ['default'], meta: { user: 'ada' } }],
    ['approle().writeRole', 'xx', { secretIdBoundCidrs: ['10.0.0.0/8'] }],
    ['approle().makeSecretId', 'xx', { metadata: { owner: 'ada' }, cidrList: ['10.0.0.0/8'] }],
    [
      'jwt().writeRole',
      'xx',
      { roleType: 'jwt', userClaim: 'sub', boundClaims: { sub: ['ada'] }, claimMappings: { a: 'b' } },
    ],
  ],
}

const isRead = /(?:^|\.)(?:read|list|search)/

describe.each(Object.entries(services))('every method of %s', (name, open) => {
  it('neither freezes, changes nor keeps what its caller passes', async () => {
    const opened = async () => {
      const made = open(memoryStore(), { ...testClock(), onError: () => {} })
      await made.ready?.()
      return made
    }
    const model = await opened()
    const methods = (await everyMethod(model.service, model.last)).filter(({ name }) => !takesAway.test(name))
    await model.service.close()
    const { service } = await opened()
    const settled = async (work: () => unknown): Promise<unknown> => {
      try {
        return await work()
      } catch (error) {
        return String(error)
      }
    }
    const reads = methods.filter(({ name }) => isRead.test(name))
    const readAll = async () => {
      const answers: unknown[] = []
      for (const { name, call } of reads) answers.push([name, await settled(() => call(service))])
      return JSON.stringify(answers)
    }
    const used: unknown[] = []
    const answers: unknown[] = []
    const callWith = async ({ name, call }: Method, given: readonly unknown[]) => {
      const passed = copied(given)
      const before = copied(passed)
      const answer = await settled(() => call(service, passed))
      expect([name, passed]).toEqual([name, before])
      for (const part of within(passed)) expect([name, Object.isFrozen(part)]).toEqual([name, false])
      answers.push(answer)
      used.push(...passed)
      return answer
    }
    for (const method of methods) await callWith(method, method.given)
    for (const [called, ...given] of fuller[name] ?? []) {
      const method = methods.find((each) => each.name === called)
      if (method === undefined) throw new Error(`no method ${called}`)
      expect([called, await callWith(method, given)]).toMatchObject([called, { ok: true }])
    }
    const [answered, stored] = [JSON.stringify(answers), await readAll()]
    reuse(used)
    expect(JSON.stringify(answers)).toBe(answered)
    expect(await readAll()).toBe(stored)
    expect(used.filter((each) => typeof each === 'object').length).toBeGreaterThan(10)
    await service.close()
  })
})
