import { createGateway, type Gateway } from '../../../gateway/index.ts'
import { type Opened, reporter, type Setup } from './opened.ts'

export async function openGateway({ settings, log }: Setup): Promise<Opened & { readonly service: Gateway }> {
  const service = createGateway({
    graceMs: settings.graceMs,
    worker: settings.worker,
    onError: reporter('gateway', log),
  })
  return { service, handler: () => service.fetch, drain: () => {}, close: service.close }
}
