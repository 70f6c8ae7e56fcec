import { createScheduler, type Scheduler } from '../../../scheduler/index.ts'
import { type OpenedService, reporter, type Setup } from './opened-service.ts'

export async function openScheduler({
  settings,
  data,
  log,
  observer,
  consoleUrl,
}: Setup): Promise<OpenedService & { readonly service: Scheduler }> {
  const service = createScheduler({
    consoleUrl,
    store: await data.store('scheduler'),
    words: settings.words.Scheduler,
    acl: settings.acl,
    place: settings.place,
    // In production runners report the status of allocations.
    simulate: settings.place && !settings.production,
    collect: settings.collect,
    heartbeatTtlMs: settings.heartbeatTtl,
    ...(settings.managementToken === undefined ? {} : { managementToken: settings.managementToken }),
    onError: reporter('scheduler', log),
    onRequest: observer('scheduler'),
  })
  return { service, handler: () => service.fetch, drain: service.drain, close: service.close }
}
