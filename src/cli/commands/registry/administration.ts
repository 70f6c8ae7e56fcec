import type { Flags } from '../../command/declaration.ts'
import type { Administer } from '../administered.ts'

export const registryFlags = {
  to: { type: 'string', value: 'URL', about: 'address of the registry (http://127.0.0.1:8400)' },
} as const satisfies Flags

export const registryEnvironment = {
  REGISTRY_ADDR: 'address of the registry, where --to does not say it',
  REGISTRY_TOKEN: 'the token of an administrator of the registry',
} as const

/** Connects to a registry; the result sends a request below `/plinth/v1/`, and throws its message for a refusal. */
export async function administerRegistry(to: string | undefined): Promise<Administer> {
  const { objectOf, refusalOf, registryClient } = await import('../../module/index.ts')
  const registry = registryClient(to)
  return async (what, method, parts, { query = '', ...more } = {}) => {
    const path = `plinth/v1/${parts.map(encodeURIComponent).join('/')}${query}`
    const answer = await registry.call(method, path, more)
    const body = answer.text === '' ? {} : objectOf(answer.text)
    if (answer.status < 200 || answer.status >= 300 || body === undefined)
      throw refusalOf(answer, `cannot ${what}`)
    return body
  }
}
