// A job scheduler in a Durable Object, which is the one writer of its data.
import { DurableObject } from 'cloudflare:workers'
import { createScheduler } from 'plinth/scheduler'
import { durableObjectStore } from './store.mjs'

export class Scheduler extends DurableObject {
  constructor(state, env) {
    super(state, env)
    state.blockConcurrencyWhile(async () => {
      this.scheduler = createScheduler({ store: await durableObjectStore(state) })
    })
  }

  fetch(request) {
    return this.scheduler.fetch(request)
  }
}

export default {
  fetch: (request, { SCHEDULER }) => SCHEDULER.get(SCHEDULER.idFromName('main')).fetch(request),
}
