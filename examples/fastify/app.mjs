// A job scheduler below /v1 of a Fastify app.
import fastify from 'fastify'
import { fastifyPlinth } from 'plinth/node'
import { createScheduler } from 'plinth/scheduler'

export function createApp() {
  const scheduler = createScheduler()
  const app = fastify()
  app.register(fastifyPlinth, { fetch: scheduler.fetch, prefix: '/v1' })
  app.get('/', async () => ({ jobs: (await scheduler.listJobs()).value?.length ?? 0 }))
  app.addHook('onClose', () => scheduler.close())
  return { app, scheduler }
}
