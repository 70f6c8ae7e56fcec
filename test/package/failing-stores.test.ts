import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { createGateway } from '../../src/gateway/index.ts'
import { systemEnv } from '../../src/kernel/index.ts'
import { memoryStore, type Store, StoreError } from '../../src/store/index.ts'
import { testClock } from '../../src/testing/index.ts'
import { everyMethod, type Method } from './every-method.ts'
import { type Opened, services, takesAway } from './every-service.ts'

/** How a call of a store fails, given what does its work. */
type Failure = (work: () => unknown) => unknown

/** Longer than any delay before a retry. */
const limitMs = 60_000

const worksAndRejects = 'does its work, and rejects'

const failures: Readonly<Record<string, Failure>> = {
  throws: () => {
    throw new Error('thrown at once')
  },
  rejects: () => Promise.reject(new StoreError('unreachable', 'down')),
  'rejects with nothing': () => Promise.reject(undefined),
  'rejects late': () =>
    new Promise((_resolve, reject) => {
      setTimeout(() => reject(new StoreError('unreachable', 'down')), 2 * limitMs)
    }),
  'never settles': () => new Promise(() => {}),
  'answers nothing': () => Promise.resolve(undefined),
  'answers with another type': () => Promise.resolve('yes'),
  [worksAndRejects]: async (work) => {
    await work()
    throw new StoreError('unknown', 'the answer was lost')
  },
}

const calls = ['head', 'read', 'commit', 'changes', 'import'] as const
type Call = (typeof calls)[number]

/** How the store of the present test fails. */
let fault: Failure | undefined

/** A store of another process, of which one call fails while there is a fault. */
function failing(call: Call): Store {
  const { snapshot: _snapshot, onCommit: _onCommit, ...kept } = memoryStore()
  return {
    ...kept,
    [call]: (...given: readonly never[]) => {
      const work = () => Reflect.apply(kept[call], kept, given)
      return fault === undefined ? work() : fault(work)
    },
  }
}

/** How far the clock of the services is ahead: what is tried again at an instant does not wait for it in real time. */
let aheadMs = 0

const common = {
  onError: () => {},
  storeTimeoutMs: limitMs,
  env: () => {
    const env = systemEnv()
    return { ...env, now: env.now + aheadMs }
  },
}

const open = (name: string, store: Store): Opened => {
  const made = services[name]?.(store, common)
  if (made === undefined) throw new Error(`no service ${name}`)
  return made
}

const { setTimeout: realTimeout } = globalThis

/** Time passes until the work ends: quickly while a store fails, and else as much as a retry waits for. */
async function ends<Result>(work: Promise<Result>): Promise<Result> {
  let isOver = false
  const over = () => {
    isOver = true
  }
  work.then(over, over)
  for (let turn = 0; !isOver; turn += 1) {
    await new Promise((resolve) => (turn < 20 ? setImmediate(resolve) : realTimeout(resolve, 1)))
    if (fault !== undefined) {
      vi.advanceTimersByTime(limitMs)
      aheadMs += 1000
    }
    if (fault === undefined && turn > 20) vi.advanceTimersByTime(10)
  }
  return work
}

const ask = async ({ service }: Opened, path: string, method = 'GET'): Promise<number> => {
  const body = method !== 'GET' && method !== 'HEAD' && { body: '{}' }
  const { status } = await service.fetch(new Request(`http://localhost${path}`, { method, ...body }))
  return status
}

const read = (opened: Opened): Promise<number> => ends(ask(opened, opened.path))

const askEvery = (opened: Opened): Promise<readonly number[]> =>
  ends(
    Promise.all(
      opened.service.routes.flatMap(({ methods, path }) =>
        methods
          .filter((method) => method !== 'LIST')
          .map((method) => ask(opened, path.replaceAll(/:\w+\??|\*\w*/g, 'x'), method)),
      ),
    ),
  )

/** The methods that were rejected, and why, when all are called at once. */
async function rejectedOf(
  service: object,
  methods: readonly Method[],
): Promise<readonly (readonly [string, string])[]> {
  const rejected: [string, string][] = []
  const waiting = new Set<string>()
  const all = methods.map(async ({ name, call }) => {
    waiting.add(name)
    try {
      await call(service)
    } catch (error) {
      rejected.push([name, String(error)])
    }
    waiting.delete(name)
  })
  await ends(Promise.all(all)).finally(() => expect([...waiting]).toEqual([]))
  return rejected
}

const known = new Map<string, Promise<readonly Method[]>>()

/** The methods of a service, those last that take away what the others need. */
function methodsOf(name: string): Promise<readonly Method[]> {
  const found = known.get(name)
  if (found !== undefined) return found
  const learnt = (async () => {
    const { service, ready, last } = open(name, memoryStore())
    await ready?.()
    const methods = await everyMethod(service, last)
    await service.close()
    return methods.toSorted((a, b) => Number(takesAway.test(a.name)) - Number(takesAway.test(b.name)))
  })()
  known.set(name, learnt)
  return learnt
}

/** The words of a mistake in a program, not of a store that fails. */
const isMistake = /^(?:Type|Range|Reference)Error/

/** Unexpected, or expected to pass: never the words of a program's mistake. */
const isFailure = (status: number) => status === 500 || status === 503

beforeAll(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
})
afterEach(() => {
  fault = undefined
})
afterAll(() => {
  vi.useRealTimers()
})

describe.each(Object.keys(services))('%s on a store', (name) => {
  describe.each(calls)('whose %s', (call) => {
    it.each(Object.entries(failures))(
      '%s from the start: answers, closes, and works once the store does',
      async (kind, failure) => {
        const store = failing(call)
        fault = failure
        const first = open(name, store)
        expect((await askEvery(first)).length).toBeGreaterThan(3)
        if (call === 'read') expect(isFailure(await read(first))).toBe(true)
        const written = await ends(first.write().catch((error: unknown) => ({ error })))
        // An initialisation that was stored is answered all the same.
        if (call === 'commit' && kind !== worksAndRejects) expect(written).toHaveProperty('error')
        // Not closed yet: the same service works once the store does.
        fault = undefined
        expect(await read(first)).toBe(200)
        expect(await ends(first.write().then((answer) => typeof answer))).toBe('object')
        fault = failure
        await read(first)
        await ends(first.write().catch(() => undefined))
        await ends(first.service.close())
      },
    )

    it.each(Object.entries(failures))(
      '%s: can be closed before it was used, and while it opens',
      async (_kind, failure) => {
        const store = failing(call)
        fault = failure
        await ends(open(name, store).service.close())
        const used = open(name, store)
        const asked = read(used)
        await ends(used.service.close())
        expect([200, 500, 503]).toContain(await asked)
      },
    )

    it('fails in every way: every method settles, and works once the store does', async () => {
      const store = failing(call)
      const opened = open(name, store)
      await ends(Promise.resolve(opened.ready?.()))
      const methods = await ends(methodsOf(name))
      const building = methods.filter((method) => !takesAway.test(method.name))
      expect(building.length).toBeGreaterThan(20)
      for (const method of building) expect(await rejectedOf(opened.service, [method])).toEqual([])
      for (const [kind, failure] of Object.entries(failures)) {
        fault = failure
        const rejected = await rejectedOf(opened.service, methods)
        fault = undefined
        expect(
          rejected.filter(([, error]) => isMistake.test(error)),
          kind,
        ).toEqual([])
        await ends(Promise.resolve(opened.ready?.()))
      }
      expect(await rejectedOf(opened.service, methods)).toEqual([])
      await ends(opened.service.close())
    })
  })
})

describe('the gateway, which keeps nothing in a store,', () => {
  it.each(Object.entries(failures))('answers where what it asks %s', async (kind, failure) => {
    const clock = testClock()
    const fails = () => failure(() => Promise.resolve(false))
    const gateway = createGateway({
      ...clock,
      isUp: fails as () => boolean,
      worker: { dial: fails as () => Promise<void> },
    })
    const asked = gateway.fetch(new Request('http://localhost/health'))
    await clock.advance(10_000)
    fault = failure
    const { status } = await ends(asked)
    const methods = await ends(everyMethod(gateway))
    expect((await rejectedOf(gateway, methods)).filter(([, error]) => isMistake.test(error))).toEqual([])
    expect(kind.startsWith('answers') ? [200, 503] : [500, 503]).toContain(status)
    await gateway.close()
  })
})
