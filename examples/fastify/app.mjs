// A job scheduler below /v1 of a Fastify app.
import fastify from 'fastify'
import { toNodeListener } from 'plinth/node'
import { createScheduler } from 'plinth/scheduler'

export async function createApp() {
  const scheduler = createScheduler()
  const listener = toNodeListener(scheduler.fetch)
  const app = fastify()
  await app.register(async (scope) => {
    // The service reads bodies itself.
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', (_request, _body, done) => done(null))
    scope.all('/v1/*', (request, reply) => {
      reply.hijack()
      listener(request.raw, reply.raw)
    })
  })
  app.get('/', async () => ({ jobs: (await scheduler.listJobs()).value?.length ?? 0 }))
  app.addHook('onClose', () => scheduler.close())
  return { app, scheduler }
}
