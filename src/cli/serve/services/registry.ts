import { createRegistry, type Registry } from '../../../registry/index.ts'
import { type OpenedService, reporter, type Setup } from './opened-service.ts'

export async function openRegistry({
  settings,
  data,
  log,
}: Setup): Promise<OpenedService & { readonly service: Registry }> {
  const store = await data.store('registry')
  const service = createRegistry({
    store,
    words: settings.words.Registry,
    onError: reporter('registry', log),
  })
  return { service, handler: () => service.fetch, drain: () => {}, close: service.close }
}
