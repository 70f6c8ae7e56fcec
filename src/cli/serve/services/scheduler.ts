import { createScheduler, type Scheduler } from '../../../scheduler/index.ts'
import { type OpenedService, reporter, type Setup } from './opened-service.ts'

export async function openScheduler({
  settings,
  data,
  log,
}: Setup): Promise<OpenedService & { readonly service: Scheduler }> {
  const service = createScheduler({
    store: await data.store('scheduler'),
    words: settings.words.Scheduler,
    acl: settings.acl,
    place: settings.place,
    simulate: settings.place,
    collect: settings.collect,
    ...(settings.managementToken === undefined ? {} : { managementToken: settings.managementToken }),
    onError: reporter('scheduler', log),
  })
  return { service, handler: () => service.fetch, drain: service.drain, close: service.close }
}
