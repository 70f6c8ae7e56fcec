// A secrets service below /v1 of a Hono app, and a gateway's health endpoint.
import { Hono } from 'hono'
import { createGateway } from 'plinth/gateway'
import { devSecrets } from 'plinth/secrets'

export async function createApp() {
  const { service: secrets, rootToken } = await devSecrets()
  const gateway = createGateway()
  const app = new Hono()
    .all('/v1/*', (context) => secrets.fetch(context.req.raw))
    .get('/health', (context) => gateway.fetch(context.req.raw))
    .get('/', (context) => context.text('my app'))
  const close = () => Promise.all([secrets.close(), gateway.close()])
  return { app, rootToken, close }
}
