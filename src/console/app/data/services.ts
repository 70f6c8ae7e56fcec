import { basePath } from './base-path.ts'
import { metaOf } from './meta.ts'

export type ServiceName = 'secrets' | 'scheduler' | 'gateway' | 'catalog' | 'registry'

const about: {
  readonly version: string
  readonly services: readonly ServiceName[]
  readonly addresses: Readonly<Record<string, string>>
} = JSON.parse(metaOf('services') ?? '{"version":"","services":[],"addresses":{}}')

export const { version, services } = about

/** The URL of a service for clients: its own, or else its path in this console. */
export const clientAddress = (name: ServiceName): string =>
  (about.addresses[name] ?? `${location.origin}${basePath}/services/${name}`).replace(/\/$/, '')
