// The client of the rows over sockets. Each message names an endpoint, the port of its server and a number of requests,
// which it sends; it tells what failed, or ''.
import { type Client, connectTo } from '../http/client.ts'
import { rows } from '../http/rows.ts'

/** Requests to send. */
export interface Asked {
  readonly name: string
  readonly port: number
  readonly requests: number
}

const clients = new Map<number, Client>()

async function clientOf({ name, port }: Asked): Promise<Client> {
  const row = rows[name]
  if (row === undefined) throw new Error(`there is no endpoint ${name}`)
  const client = clients.get(port) ?? (await connectTo(port, row))
  clients.set(port, client)
  return client
}

process.on('message', async (asked: Asked) => {
  try {
    await (await clientOf(asked)).run({ requests: asked.requests })
    process.send?.('')
  } catch (error) {
    process.send?.(String(error))
  }
})
process.on('disconnect', () => process.exit())
