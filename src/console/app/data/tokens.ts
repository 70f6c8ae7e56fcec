import { effect, signal } from '@preact/signals'
import { basePath } from './base-path.ts'
import { keepsSignIns, type ServiceName } from './services.ts'

type Tokens = Readonly<Partial<Record<ServiceName, string>>>

/** Where this tab keeps its sign-ins. */
const key = `plinth-tokens ${basePath}`

/** The tokens of the services that the user is signed in to. The tab keeps them across reloads until sign-out. */
export const tokens = signal<Tokens>(kept())

effect(() => {
  const held = tokens.value
  if (!keepsSignIns) return
  try {
    if (Object.keys(held).length === 0) sessionStorage.removeItem(key)
    else sessionStorage.setItem(key, JSON.stringify(held))
  } catch {
    // A browser that forbids storage keeps them in memory.
  }
})

function kept(): Tokens {
  if (!keepsSignIns) return {}
  try {
    return JSON.parse(sessionStorage.getItem(key) ?? '{}') as Tokens
  } catch {
    return {}
  }
}

/** Signs in to a service; an empty token signs out. */
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
