import { refuse } from '../../../kernel/index.ts'
import { badCidr } from '../../../networks/networks.ts'
import { routeOperation } from '../../../operation/operation.ts'
import { type TokenRoleInput, type TokenRoleRefusal, writeTokenRole } from '../../tokens/index.ts'
import { found } from '../core/answer.ts'
import type { Within } from '../core/context.ts'
import { done } from '../core/decision.ts'
import { goneWith } from '../core/namespaces.ts'
import { tokenRoles } from './records.ts'
import { roleNow } from './roles.ts'

/** The operations on token roles, which are templates for tokens. */
export const tokenRoleOperations = {
  list: routeOperation({
    refuses: [],
    run: async ({ core, namespace }: Within) =>
      found(tokenRoles.list(await core.fresh(), namespace.id).map(({ value }) => value.role.name)),
  }),
  read: routeOperation({
    refuses: [],
    run: async ({ core, namespace }: Within, name: string) => found(await roleNow(core, namespace, name)),
  }),
  write: routeOperation({
    refuses: ['token_role_invalid'],
    run: async ({ core, namespace }: Within, input: TokenRoleInput & { readonly name: string }) => {
      const wrong = badCidr(input.boundCidrs ?? [])
      if (wrong !== undefined)
        return refuse('token_role_invalid', `invalid CIDR: ${JSON.stringify(wrong)} is not a network`)
      return core.commit<undefined, TokenRoleRefusal>((tx, env) => {
        const gone = goneWith(tx, namespace, 'token_role_invalid')
        if (gone) return gone
        const before = tx.get(tokenRoles, namespace.id, input.name)?.value.role
        const written = writeTokenRole(before, input, env)
        if (!written.ok) return written
        tx.put(tokenRoles, { namespace: namespace.id, role: written.state })
        return done(undefined)
      })
    },
  }),
  delete: routeOperation({
    refuses: [],
    run: ({ core, namespace }: Within, name: string) =>
      core.commit<boolean, never>((tx) => done(tx.delete(tokenRoles, namespace.id, name))),
  }),
}
