import { transact } from '../../../store/index.ts'
import {
  type Token,
  type TokenRole,
  type TokenRoleInput,
  type TokenRoleRefusal,
  writeTokenRole,
} from '../../tokens/index.ts'
import type { SecretsAnswer } from '../answer.ts'
import { type Core, isRefused, type Namespace } from '../core.ts'
import { goneWith } from '../namespaces/records.ts'
import { tokenRoles } from './records.ts'

/** Templates for tokens, by namespace and name. */
export interface TokenRolesService {
  /** The role of a token as it is now; `gone` when it was deleted. */
  readonly roleOf: (token: Token, namespace: Namespace) => Promise<TokenRole | 'gone' | undefined>
  readonly listRoles: (namespace: Namespace) => Promise<SecretsAnswer<readonly string[]>>
  readonly readRole: (namespace: Namespace, name: string) => Promise<SecretsAnswer<TokenRole | undefined>>
  readonly writeRole: (
    namespace: Namespace,
    input: TokenRoleInput & { readonly name: string },
  ) => Promise<SecretsAnswer<undefined, TokenRoleRefusal>>
  readonly deleteRole: (namespace: Namespace, name: string) => Promise<SecretsAnswer<boolean>>
}

export function tokenRolesService(core: Core): TokenRolesService {
  return {
    roleOf: async ({ role }, namespace) => {
      const opened = core.barrier.enter()
      if (role === null || isRefused(opened)) return undefined
      return tokenRoles.get(await opened.view.fresh(), namespace.id, role)?.value.role ?? 'gone'
    },
    listRoles: async (namespace) => {
      const opened = core.barrier.enter()
      if (isRefused(opened)) return opened
      const roles = tokenRoles.list(await opened.view.fresh(), namespace.id)
      return { ok: true, value: roles.map(({ value }) => value.role.name) }
    },
    readRole: async (namespace, name) => {
      const opened = core.barrier.enter()
      if (isRefused(opened)) return opened
      return { ok: true, value: tokenRoles.get(await opened.view.fresh(), namespace.id, name)?.value.role }
    },
    writeRole: async (namespace, input) => {
      const opened = core.barrier.enter()
      if (isRefused(opened)) return opened
      const { result } = await transact(opened.view, core.newCommitId, (tx) => {
        const gone = goneWith(tx, namespace, 'token_role_invalid')
        if (gone) return gone
        const before = tx.get(tokenRoles, namespace.id, input.name)?.value.role
        const written = writeTokenRole(before, input, core.env())
        if (written.ok) tx.put(tokenRoles, { namespace: namespace.id, role: written.state })
        return written
      })
      return result.ok ? { ok: true, value: undefined } : result
    },
    deleteRole: async (namespace, name) => {
      const opened = core.barrier.enter()
      if (isRefused(opened)) return opened
      const { result } = await transact(opened.view, core.newCommitId, (tx) =>
        tx.delete(tokenRoles, namespace.id, name),
      )
      return { ok: true, value: result }
    },
  }
}
