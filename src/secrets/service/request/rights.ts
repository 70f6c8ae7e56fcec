import type { Snapshot } from '../../../store/index.ts'
import { type Acl, compileAcl } from '../../acl/index.ts'
import type { Token } from '../../tokens/index.ts'
import type { Services } from '../context.ts'

/** The compiled policies of a token, which are those of its own namespace; nothing is allowed without one. */
export function rightsOf({ namespaces, policies }: Services, now: Snapshot, token: Token | undefined): Acl {
  const home = token && namespaces.at(now, token.namespace)
  // A namespace that was made anew at the same path has policies of its own, which are not the token's.
  return token && home?.id === token.namespaceId ? policies.aclOf(now, home, token.policies) : compileAcl([])
}
