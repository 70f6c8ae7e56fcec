import fc from 'fast-check'
import { expect, it } from 'vitest'
import { devSecrets, type Secrets } from '../../../src/secrets/index.ts'
import { type TestClock, testClock } from '../../../src/testing/index.ts'

/** The reference: what the facts say, written as plainly as possible, with every version kept whole. */
interface ModelVersion {
  readonly data: Record<string, unknown>
  deletedAt: number | null
  expiresAt: number | null
  destroyed: boolean
}
interface ModelSecret {
  current: number
  maxVersions: number
  casRequired: boolean
  ttl: number
  readonly versions: Map<number, ModelVersion>
}
interface Model {
  now: number
  config: { maxVersions: number; casRequired: boolean; ttl: number }
  readonly secrets: Map<string, ModelSecret>
}
interface Real {
  readonly service: Secrets
  readonly clock: TestClock
}

const born = (): ModelSecret => ({
  current: 0,
  maxVersions: 0,
  casRequired: false,
  ttl: 0,
  versions: new Map(),
})

const expiry = (model: Model, secret: ModelSecret): number | null => {
  if (model.config.ttl < 0) return null
  const set = [secret.ttl, model.config.ttl].filter((seconds) => seconds > 0)
  return set.length === 0 ? null : model.now + Math.min(...set) * 1000
}

const isLive = (model: Model, version: ModelVersion): boolean =>
  !version.destroyed &&
  version.deletedAt === null &&
  (version.expiresAt === null || version.expiresAt > model.now)

/** Adds a version and forgets what is older than the limit. */
const add = (model: Model, secret: ModelSecret, data: Record<string, unknown>): number => {
  secret.current += 1
  const expiresAt = expiry(model, secret)
  secret.versions.set(secret.current, { data, deletedAt: null, expiresAt, destroyed: false })
  const limit = Math.max(secret.maxVersions, model.config.maxVersions) || 10
  for (const number of [...secret.versions.keys()])
    if (number <= secret.current - limit) secret.versions.delete(number)
  return secret.current
}

const casFault = (model: Model, secret: ModelSecret | undefined, cas: number | undefined) => {
  if (cas === undefined) return model.config.casRequired || secret?.casRequired ? 'cas_required' : undefined
  return cas === (secret?.current ?? 0) ? undefined : 'cas_mismatch'
}

type Command = fc.AsyncCommand<Model, Real>
const command = (text: string, run: (model: Model, real: Real) => Promise<void>): Command => ({
  check: () => true,
  run,
  toString: () => text,
})

const codeOf = (result: { ok: true } | { ok: false; refusal: { code: string } }) =>
  result.ok ? 'ok' : result.refusal.code

const path = fc.constantFrom('a', 'a', 'b/c')
const data = fc.dictionary(fc.constantFrom('x', 'y', '__proto__'), fc.integer({ min: 0, max: 9 }), {
  maxKeys: 3,
})
const cas = fc.oneof(
  { weight: 5, arbitrary: fc.constant(undefined) },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: 4 }) },
)
const numbers = fc.array(fc.integer({ min: 0, max: 14 }), { minLength: 1, maxLength: 3 })

const write = fc.tuple(path, data, cas).map(([at, value, given]) =>
  command(`write ${at} ${JSON.stringify(value)} cas ${given}`, async (model, { service }) => {
    const secret = model.secrets.get(at)
    const fault = casFault(model, secret, given)
    const result = await service.kv().write(at, value, given === undefined ? {} : { cas: given })
    if (fault) return expect(codeOf(result)).toBe(fault)
    const next = secret ?? born()
    model.secrets.set(at, next)
    const number = add(model, next, value)
    expect(result).toMatchObject({ ok: true, value: { version: number } })
  }),
)

const commands = [
  write,
  write,
  write,
  write,
  fc.tuple(path, data, cas).map(([at, value, given]) =>
    command(`patch ${at} ${JSON.stringify(value)} cas ${given}`, async (model, { service }) => {
      const secret = model.secrets.get(at)
      const now = secret?.versions.get(secret.current)
      const result = await service.kv().patch(at, value, given === undefined ? {} : { cas: given })
      if (secret === undefined) return expect(codeOf(result)).toBe('secret_not_found')
      const fault = casFault(model, secret, given)
      if (fault) return expect(codeOf(result)).toBe(fault)
      if (now === undefined) return expect(codeOf(result)).toBe('secret_not_found')
      if (!isLive(model, now)) return expect(codeOf(result)).toBe('version_gone')
      const merged = Object.fromEntries(Object.entries(now.data))
      for (const [key, member] of Object.entries(value))
        Object.defineProperty(merged, key, {
          value: member,
          enumerable: true,
          configurable: true,
          writable: true,
        })
      expect(result).toMatchObject({ ok: true, value: { version: add(model, secret, merged) } })
    }),
  ),
  fc.tuple(path, fc.constantFrom(0, 0, 0, 1, 2, 3, 5, 9, 14)).map(([at, number]) =>
    command(`read ${at} ${number}`, async (model, { service }) => {
      const secret = model.secrets.get(at)
      const version = secret?.versions.get(number || secret.current)
      const found = await service.kv().read(at, number)
      if (!found.ok) throw new Error(found.refusal.message)
      if (version === undefined) return expect(found.value.kind).toBe('absent')
      expect(found.value.kind).toBe(isLive(model, version) ? 'live' : 'gone')
      if (found.value.kind === 'absent') return
      expect(found.value.version).toMatchObject({
        deletedAt: version.deletedAt,
        expiresAt: version.expiresAt,
        destroyed: version.destroyed,
      })
      if (found.value.kind === 'live')
        expect(Object.entries(found.value.data).sort()).toEqual(Object.entries(version.data).sort())
    }),
  ),
  fc.tuple(path, fc.option(numbers, { nil: undefined })).map(([at, which]) =>
    command(`delete ${at} ${which ?? 'current'}`, async (model, { service }) => {
      const secret = model.secrets.get(at)
      expect(codeOf(await service.kv().delete(at, which))).toBe('ok')
      for (const number of which ?? [secret?.current ?? 0]) {
        const version = secret?.versions.get(number)
        if (version && version.deletedAt === null && !version.destroyed)
          Object.assign(version, {
            deletedAt: Math.min(model.now, version.expiresAt ?? model.now),
            expiresAt: null,
          })
      }
    }),
  ),
  fc.tuple(path, numbers).map(([at, which]) =>
    command(`undelete ${at} ${which}`, async (model, { service }) => {
      expect(codeOf(await service.kv().undelete(at, which))).toBe('ok')
      const secret = model.secrets.get(at)
      for (const number of which) {
        const version = secret?.versions.get(number)
        if (secret && version && !version.destroyed)
          Object.assign(version, { deletedAt: null, expiresAt: expiry(model, secret) })
      }
    }),
  ),
  fc.tuple(path, numbers).map(([at, which]) =>
    command(`destroy ${at} ${which}`, async (model, { service }) => {
      expect(codeOf(await service.kv().destroy(at, which))).toBe('ok')
      for (const number of which) {
        const version = model.secrets.get(at)?.versions.get(number)
        if (version) version.destroyed = true
      }
    }),
  ),
  path.map((at) =>
    command(`remove ${at}`, async (model, { service }) => {
      expect(await service.kv().remove(at)).toEqual({ ok: true, value: model.secrets.delete(at) })
    }),
  ),
  fc
    .record({
      at: path,
      maxVersions: fc.option(fc.integer({ min: 0, max: 4 }), { nil: undefined, freq: 2 }),
      casRequired: fc.option(fc.constantFrom(false, false, false, true), { nil: undefined, freq: 1 }),
      ttl: fc.option(fc.constantFrom(0, 5, 20), { nil: undefined, freq: 2 }),
    })
    .map(({ at, maxVersions, casRequired, ttl }) =>
      command(`describe ${at} ${maxVersions} ${casRequired} ${ttl}`, async (model, { service }) => {
        const input = { maxVersions, casRequired, deleteVersionAfterSeconds: ttl }
        expect(codeOf(await service.kv().writeMetadata(at, input))).toBe('ok')
        if (maxVersions === undefined && casRequired === undefined && ttl === undefined) return
        const secret = model.secrets.get(at) ?? born()
        model.secrets.set(at, secret)
        secret.maxVersions = maxVersions ?? secret.maxVersions
        secret.casRequired = casRequired ?? secret.casRequired
        secret.ttl = ttl ?? secret.ttl
      }),
    ),
  fc
    .record({
      maxVersions: fc.integer({ min: 0, max: 4 }),
      casRequired: fc.constantFrom(false, false, false, false, true),
      ttl: fc.constantFrom(-1, 0, 0, 10),
    })
    .map((config) =>
      command(`configure ${JSON.stringify(config)}`, async (model, { service }) => {
        const { maxVersions, casRequired, ttl } = config
        const result = await service
          .kv()
          .configure({ maxVersions, casRequired, deleteVersionAfterSeconds: ttl })
        expect(codeOf(result)).toBe('ok')
        model.config = config
      }),
    ),
  fc.integer({ min: 1, max: 15 }).map((seconds) =>
    command(`wait ${seconds} s`, async (model, { clock }) => {
      model.now += seconds * 1000
      await clock.advance(seconds * 1000)
    }),
  ),
  fc.constant(
    command('list', async (model, { service }) => {
      const paths = [...model.secrets.keys()]
      const names = new Set(paths.map((at) => (at.includes('/') ? at.slice(0, at.indexOf('/') + 1) : at)))
      expect(await service.kv().list()).toEqual({ ok: true, value: [...names].sort() })
    }),
  ),
]

it('versioned secrets behave like their model under any operations', async () => {
  await fc.assert(
    fc.asyncProperty(fc.commands(commands, { maxCommands: 60, size: 'max' }), async (list) => {
      const clock = testClock()
      const { service } = await devSecrets({ env: clock.env, timers: clock.timers })
      const model: Model = {
        now: clock.now(),
        config: { maxVersions: 0, casRequired: false, ttl: 0 },
        secrets: new Map(),
      }
      await fc.asyncModelRun(() => ({ model, real: { service, clock } }), list)
      for (const [at, secret] of model.secrets) {
        const kept = await service.kv().readMetadata(at)
        const versions = [...secret.versions].map(([number, { deletedAt, expiresAt, destroyed }]) => [
          String(number),
          { createdAt: expect.any(Number), deletedAt, expiresAt, destroyed },
        ])
        expect(kept).toMatchObject({ ok: true, value: { current: secret.current } })
        expect(kept.ok && kept.value?.versions).toEqual(Object.fromEntries(versions))
      }
      await service.close()
    }),
    { numRuns: 200 },
  )
})
