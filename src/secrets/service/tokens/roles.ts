import { unwrap } from '../../../kernel/index.ts'
import {
  type Token,
  type TokenRole,
  type TokenRoleInput,
  type TokenRoleRefusal,
  writeTokenRole,
} from '../../tokens/index.ts'
import type { Core, Namespace } from '../core/core.ts'
import { done } from '../core/decision.ts'
import { goneWith } from '../core/namespaces.ts'

import { tokenRoles } from './records.ts'

/** Templates for tokens, by namespace and name. */
export type TokenRolesService = ReturnType<typeof tokenRolesService>

export function tokenRolesService(core: Core) {
  return {
    /** The current role of a token; `gone` if it was deleted. */
    roleOf: async ({ role }: Token, namespace: Namespace): Promise<TokenRole | 'gone' | undefined> => {
      if (role === null) return undefined
      return tokenRoles.get(await core.fresh(), namespace.id, role)?.value.role ?? 'gone'
    },
    listRoles: async (namespace: Namespace): Promise<readonly string[]> => {
      const roles = tokenRoles.list(await core.fresh(), namespace.id)
      return roles.map(({ value }) => value.role.name)
    },
    readRole: async (namespace: Namespace, name: string) =>
      tokenRoles.get(await core.fresh(), namespace.id, name)?.value.role,
    writeRole: (namespace: Namespace, input: TokenRoleInput & { readonly name: string }) =>
      core.commit<undefined, TokenRoleRefusal>((tx, env) => {
        const gone = goneWith(tx, namespace, 'token_role_invalid')
        if (gone) return gone
        const before = tx.get(tokenRoles, namespace.id, input.name)?.value.role
        const written = writeTokenRole(before, input, env)
        if (!written.ok) return written
        tx.put(tokenRoles, { namespace: namespace.id, role: written.state })
        return done(undefined)
      }),
    deleteRole: async (namespace: Namespace, name: string) =>
      unwrap(await core.commit((tx) => done(tx.delete(tokenRoles, namespace.id, name)))),
  }
}
