import { signal } from '@preact/signals'
import type { ServiceName } from './services.ts'

/** The entered tokens, only in this page's memory: a reload forgets them. */
export const tokens = signal<Readonly<Partial<Record<ServiceName, string>>>>({})

export function setToken(service: ServiceName, token: string): void {
  const { [service]: _, ...others } = tokens.value
  tokens.value = token === '' ? others : { ...others, [service]: token }
}

/** How each service takes a token. */
export function tokenHeaders(service: ServiceName): Readonly<Record<string, string>> {
  const token = tokens.value[service]
  if (token === undefined) return {}
  switch (service) {
    case 'secrets':
      return { 'x-secrets-token': token }
    case 'scheduler':
      return { 'x-scheduler-token': token }
    case 'catalog':
    case 'registry':
      return { authorization: `Bearer ${token}` }
    case 'gateway':
      return {}
    default:
      return service satisfies never
  }
}
