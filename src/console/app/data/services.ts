import { basePath } from './base-path.ts'
import { metaOf } from './meta.ts'

export type ServiceName = 'secrets' | 'scheduler' | 'gateway' | 'catalog' | 'registry'

const about: {
  readonly version: string
  readonly services: readonly ServiceName[]
  readonly addresses: Readonly<Record<string, string>>
  readonly keepsSignIns: boolean
} = JSON.parse(metaOf('services') ?? '{"version":"","services":[],"addresses":{},"keepsSignIns":false}')

export const { version, services, keepsSignIns } = about

/** The names of the services as headings show them. */
export const titles: Readonly<Record<ServiceName, string>> = {
  secrets: 'Secrets',
  scheduler: 'Scheduler',
  gateway: 'Gateway',
  catalog: 'Catalog',
  registry: 'Registry',
}

/** The URL of a service for clients: its own, or else its path in this console. */
export const clientAddress = (name: ServiceName): string =>
  (about.addresses[name] ?? `${location.origin}${basePath}/services/${name}`).replace(/\/$/, '')
