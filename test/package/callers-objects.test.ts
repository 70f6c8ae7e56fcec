import { describe, expect, it } from 'vitest'
import { createCatalog } from '../../src/catalog/index.ts'
import { createRegistry } from '../../src/registry/index.ts'
import { createScheduler } from '../../src/scheduler/index.ts'
import { devSecrets } from '../../src/secrets/index.ts'
import * as kv from '../../src/secrets/kv.ts'

/** The data itself, and everything within. */
function* within(value: unknown): Generator<object> {
  if (typeof value !== 'object' || value === null) return
  yield value
  for (const inner of Object.values(value)) yield* within(inner)
}

/** Changes every string within, as a caller may who uses an object again. */
function reuse(value: unknown): void {
  for (const part of within(value))
    for (const [key, inner] of Object.entries(part))
      if (typeof inner === 'string') Reflect.set(part, key, `${inner} again`)
}

/** Calls with an input, and then uses the input for something else; what was stored stays. */
async function keeps<Input extends object>(
  input: Input,
  write: (input: Input) => unknown,
  read: () => unknown = () => undefined,
): Promise<void> {
  const before = structuredClone(input)
  const answer = await write(input)
  expect(answer).toMatchObject({ ok: true })
  expect(input).toEqual(before)
  for (const part of within(input)) expect(Object.isFrozen(part)).toBe(false)
  const [said, stored] = [structuredClone(answer), structuredClone(await read())]
  reuse(input)
  expect(answer).toEqual(said)
  expect(await read()).toEqual(stored)
}

describe("the caller's objects stay the caller's", () => {
  it('in the secrets service', async () => {
    const { service } = await devSecrets()
    const { mounts } = service
    await keeps(
      { path: 'team/', type: 'kv', options: { version: '2' }, description: 'a' },
      (input) => mounts.enable(input),
      () => mounts.list(),
    )
    await keeps(
      { path: 'team/', description: 'b', options: { version: '2' } },
      (input) => mounts.tune(input),
      () => mounts.list(),
    )
    await keeps(
      { password: 'hunter2', nested: { list: ['a', { b: 'c' }] } },
      (data) => service.kv('team').write('app', data),
      () => service.kv('team').read('app'),
    )
    await keeps(
      { customMetadata: { owner: 'ada' } },
      (input) => service.kv('team').writeMetadata('app', input),
      () => service.kv('team').readMetadata('app'),
    )
    await keeps({ policies: ['default'], meta: { user: 'ada' } }, (input) => service.tokens.create(input))
    await service.close()
  })

  it('in the scheduler', async () => {
    const scheduler = createScheduler()
    await keeps(
      {
        ID: 'web',
        Meta: { a: 'b' },
        TaskGroups: [{ Name: 'app', Tasks: [{ Name: 't', Config: { image: 'x' } }] }],
      },
      (job) => scheduler.registerJob(job as never),
      () => scheduler.readJob('web'),
    )
    await keeps(
      { Name: 'gpu', Meta: { a: 'b' } },
      (pool) => scheduler.upsertPool(pool),
      () => scheduler.readPool('gpu'),
    )
    await scheduler.close()
  })

  it('in registry and catalog', async () => {
    const registry = createRegistry()
    await keeps({ namespace: 'acme', name: 'vpc', provider: 'aws' }, (input) => registry.publishModule(input))
    await registry.close()
    const catalog = createCatalog()
    await catalog.putUser({ username: 'ada' })
    await keeps({ username: 'ada', name: 'box', description: 'a' }, (input) => catalog.createBox(input))
    await catalog.close()
  })

  it('in the engines', () => {
    const env = { now: 0, newId: (kind: string) => kind }
    return keeps({ customMetadata: { owner: 'ada' } }, (input) => kv.writeMetadata(undefined, input, env))
  })
})
