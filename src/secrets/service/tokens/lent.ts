import { rootToken } from '../../tokens/index.ts'
import type { Caller, Core } from '../core/core.ts'
import { namespaceAt } from '../core/namespaces.ts'
import type { SecretsRights } from '../core/options.ts'

/** A caller with rights for one request. Its token is never stored, like those of type `batch`, and has no text. */
export function lentCaller(core: Core, rights: SecretsRights): Caller | undefined {
  const { policies, displayName = 'authenticated', namespace = '' } = rights
  // Programs without types may return anything.
  if (!Array.isArray(policies))
    throw new TypeError("authenticate: return { policies: ['name'] } or undefined")
  const path = namespace === '' || namespace.endsWith('/') ? namespace : `${namespace}/`
  const home = namespaceAt(core.barrier.enter().view.stale(), path)
  if (home === undefined) return undefined
  const token = Object.assign(rootToken({ digest: '', accessor: '' }, core.env()), {
    type: 'batch',
    namespace: home.path,
    namespaceId: home.id,
    policies: [...policies],
    displayName,
    path: '',
  } as const)
  return { token, text: '' }
}
