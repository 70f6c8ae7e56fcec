import type { Snapshot } from '../../../store/index.ts'
import { type Acl, compileAcl } from '../../acl/index.ts'
import { normalisePolicies } from '../../acl/policy-names.ts'
import { templateValue } from '../../identity/resolve.ts'
import type { Token } from '../../tokens/index.ts'
import type { Core, Namespace } from '../core/core.ts'
import { namespaceAt } from '../core/namespaces.ts'
import { identityOfToken } from '../identity/resolved.ts'
import { aclOf } from '../policies/compiled.ts'

/**
 * The compiled policies of a token in its own namespace, and those of its entity; `undefined` if the entity is disabled
 * or deleted.
 */
export function rightsAt(
  core: Core,
  now: Snapshot,
  home: Namespace,
  token: Token,
): Acl | Promise<Acl> | undefined {
  const found = token.entity && identityOfToken(core, now, token.entity)
  if (found === 'refused') return undefined
  if (found === undefined) return aclOf(core, now, home, token.policies)
  const { identity: own, version } = found
  // The same names are other policies in another namespace.
  const granted = token.entity?.namespace === home.id ? own.policies : []
  const names = granted.length === 0 ? token.policies : normalisePolicies([...token.policies, ...granted])
  return aclOf(core, now, home, names, { version, resolve: (name) => templateValue(own, name) })
}

/** The compiled policies of a token, which are those of its own namespace; nothing is allowed without one. */
export async function rightsOf(core: Core, now: Snapshot, token: Token | undefined): Promise<Acl> {
  const home = token && namespaceAt(now, token.namespace)
  // A namespace that was created again at the same path has its own policies, which are not the token's.
  const acl = token && home?.id === token.namespaceId ? await rightsAt(core, now, home, token) : undefined
  return acl ?? compileAcl([])
}
