import { createGateway, type Gateway } from '../../../gateway/index.ts'
import { type OpenedService, reporter, type Setup } from './opened-service.ts'

export async function openGateway({
  settings,
  log,
  observer,
  consoleUrl,
}: Setup): Promise<OpenedService & { readonly service: Gateway }> {
  const service = createGateway({
    consoleUrl,
    graceMs: settings.graceMs,
    worker: settings.worker,
    onError: reporter('gateway', log),
    onRequest: observer('gateway'),
  })
  return { service, handler: () => service.fetch, drain: () => {}, close: service.close }
}
