import { signal } from '@preact/signals'
import { basePath } from './base-path.ts'

export const serviceNames = ['secrets', 'scheduler', 'gateway', 'catalog', 'registry'] as const
export type ServiceName = (typeof serviceNames)[number]

/** The services that this console shows. */
export const services = signal<readonly ServiceName[]>([])
export const version = signal('')
const addresses = signal<Readonly<Record<string, string>>>({})

/** Where clients reach a service: its own address, or else its path in this console. */
export const clientAddress = (name: ServiceName): string =>
  (addresses.value[name] ?? `${location.origin}${basePath}/services/${name}`).replace(/\/$/, '')

export async function loadServices(): Promise<void> {
  const response = await fetch(`${basePath}/services.json`)
  const about: {
    readonly version: string
    readonly services: readonly ServiceName[]
    readonly addresses: Readonly<Record<string, string>>
  } = await response.json()
  services.value = about.services
  version.value = about.version
  addresses.value = about.addresses
}
