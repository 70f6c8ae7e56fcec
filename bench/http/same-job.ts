import { connectTo } from './client.ts'
import { oneRound, type Round } from './over-sockets.ts'
import { start } from './processes.ts'
import type { Row } from './rows.ts'

/** Registers the same job again and again, and measures the first registrations and those after `many`. */
export async function sameJob(
  row: Row,
  { warmups = 3000, each = 2000, many = 20_000 } = {},
): Promise<{
  readonly first: Round
  readonly last: Round
}> {
  const server = await start('plinth', 'jobs')
  // Other jobs warm the code up, so that the first registrations do not pay for it.
  const others = await connectTo(server.port, row, { from: 1 })
  await others.run({ requests: warmups })
  others.close()
  const again = await connectTo(server.port, { ask: () => row.ask(0), different: 1 })
  const run = (requests: number) => oneRound(server, again, Number.POSITIVE_INFINITY, requests)
  const first = await run(each)
  await run(many - each)
  const last = await run(each)
  again.close()
  await server.stop()
  return { first, last }
}
