import { type Acl, compileAcl } from '../../acl/index.ts'
import type { Token } from '../../tokens/index.ts'
import type { Services } from '../context.ts'

/** The compiled policies of a token, which are those of its own namespace; nothing is allowed without one. */
export async function rightsOf(
  { core, namespaces, policies }: Services,
  token: Token | undefined,
): Promise<Acl> {
  const opened = core.barrier.enter()
  const home = token && namespaces.at(await opened.view.fresh(), token.namespace)
  // A namespace that was made anew at the same path has policies of its own, which are not the token's.
  return token && home?.id === token.namespaceId
    ? policies.aclOf(opened.view, home, token.policies)
    : compileAcl([])
}
