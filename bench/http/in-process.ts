import { treeAt } from '../compare/tree.ts'
import { measure } from '../measure.ts'
import type { Row } from './rows.ts'

/** Measures `fetch` with the making of its `Request`, beside making the same `Request` and `Response` alone; nanoseconds. */
export async function inProcess({ handler, ask, different }: Row) {
  const fetch = await handler(treeAt(process.cwd()).load)
  const asks = Array.from({ length: different }, (_, n) => ask(n))
  const requests = asks.map(
    ({ path, headers = {} }) =>
      () =>
        new Request(`http://localhost${path}`, { headers }),
  )
  const requestOf = (n: number): Request => requests[n % different]?.() ?? new Request('http://localhost/')
  const sample = await fetch(requestOf(0))
  const headers = Object.fromEntries(sample.headers)
  const body = (await sample.text()) || null
  const operations = 2000
  const [whole, alone] = await measure(
    [
      {
        name: 'fetch',
        operations,
        run: turning(operations, async (n) => {
          const { status } = await fetch(requestOf(n))
          if (status !== sample.status) throw new Error(`answered with ${status}`)
        }),
      },
      {
        name: 'Request and Response alone',
        operations,
        run: turning(operations, async (n) => [
          requestOf(n),
          new Response(body, { status: sample.status, headers }),
        ]),
      },
    ],
    { rounds: 15, warmups: 5 },
  )
  return { whole: whole?.nanoseconds ?? Number.NaN, alone: alone?.nanoseconds ?? Number.NaN }
}

/** Lets the event loop turn now and then, as in a server: until it does, Node keeps every `Response` alive. */
const turning = (operations: number, run: (n: number) => Promise<unknown>) => async () => {
  for (let n = 0; n < operations; n += 1) {
    await run(n)
    if (n % 20 === 19) await new Promise(setImmediate)
  }
}
