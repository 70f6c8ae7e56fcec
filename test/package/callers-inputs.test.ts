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
import { devSecrets } from '../../src/secrets/index.ts'
import * as jwt from '../../src/secrets/jwt/index.ts'
import * as kv from '../../src/secrets/kv.ts'
import * as tokens from '../../src/secrets/tokens/index.ts'
import * as transit from '../../src/secrets/transit/index.ts'
import * as userpass from '../../src/secrets/userpass/index.ts'

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

  it('every method of every service leaves what it refuses as it was', async () => {
    const { service: secrets } = await devSecrets()
    const services: Readonly<Record<string, object>> = {
      catalog: catalog.createCatalog(),
      registry: registry.createRegistry(),
      scheduler: scheduler.createScheduler(),
      kv: secrets.kv(),
      mounts: secrets.mounts,
      policies: secrets.policies,
      tokens: secrets.tokens,
      namespaces: secrets.namespaces,
      userpass: secrets.userpass(),
      approle: secrets.approle(),
      jwt: secrets.jwt(),
      transit: secrets.transit(),
      idp: secrets.idp(),
    }
    let called = 0
    for (const [service, methods] of Object.entries(services))
      for (const [name, method] of Object.entries(methods)) {
        if (typeof method !== 'function' || /^(?:close|fetch|help|openapi|as|drain|open)$/.test(name))
          continue
        const given = [1, 2, 3].map((at) => ({
          name: 'a',
          namespace: 'acme',
          provider: 'aws',
          at,
          deep: { list: [{ at }] },
        }))
        const before = structuredClone(given)
        await Promise.resolve(attempt(method as Call, ...given)).catch(() => undefined)
        called += 1
        expect([service, name, given]).toEqual([service, name, before])
        for (const part of within(given.map((each) => each.deep)))
          if (!Array.isArray(part) || part.length > 0)
            expect([service, name, Object.isFrozen(part)]).toEqual([service, name, false])
      }
    expect(called).toBeGreaterThan(100)
    for (const name of ['catalog', 'registry', 'scheduler'])
      await (services[name] as { close(): Promise<void> }).close()
    await secrets.close()
  })
})
