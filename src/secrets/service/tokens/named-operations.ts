import { refuse } from '../../../kernel/index.ts'
import { isRefused } from '../../../kernel/refusal.ts'
import { routeOperation } from '../../../operation/operation.ts'
import { lookupToken, type Token, type TokenView } from '../../tokens/index.ts'
import { found } from '../core/answer.ts'
import type { SecretsContext } from '../core/context.ts'
import { findToken } from './find-token.ts'
import { tokenOperations } from './operations.ts'
import { renew } from './renew.ts'
import { revokeAlone, revokeToken } from './revocation.ts'

/** The token that a request names: that of the caller, or one by its text or its accessor. */
export type NamedToken = 'self' | { readonly token: string } | { readonly accessor: string }

/** A token, and its text if the caller sent it. */
export interface TokenSeen {
  readonly view: TokenView
  readonly text: string
}

const naming = ['permission_denied', 'token_missing', 'token_not_found', 'bad_accessor'] as const

const denied = () => refuse('permission_denied', 'permission denied')

const seen = ({ core }: SecretsContext, token: Token, text: string): TokenSeen => ({
  view: lookupToken(token, core.env().now),
  text,
})

/** The valid token of a request. Only its sender knows the text. */
async function tokenNamed({ caller, core, namespace }: SecretsContext, name: NamedToken) {
  if (name === 'self') return caller ?? denied()
  const text = 'token' in name ? name.token : ''
  if ('token' in name && text === '') return refuse('token_missing', 'missing token ID')
  const token = await findToken(core, name, namespace)
  if (token) return { token, text }
  return 'token' in name
    ? refuse('token_not_found', 'token not found')
    : refuse('bad_accessor', 'invalid accessor')
}

/** The operations on the token that a request names. */
export const namedTokenOperations = {
  lookupOwn: routeOperation({
    refuses: ['permission_denied'],
    run: async (context: SecretsContext) => {
      const { caller } = context
      return caller ? found(seen(context, caller.token, caller.text)) : denied()
    },
  }),
  /** Looks up a token by its text, by default that of the caller. */
  lookup: routeOperation({
    refuses: ['permission_denied', 'bad_token'],
    run: async (context: SecretsContext, given: string | undefined) => {
      const text = given || context.caller?.text
      if (!text) return denied()
      const token = await findToken(context.core, { token: text }, context.namespace)
      return token ? found(seen(context, token, text)) : refuse('bad_token', 'bad token')
    },
  }),
  lookupByAccessor: routeOperation({
    refuses: ['bad_accessor'],
    run: async (context: SecretsContext, accessor: string) => {
      const token = await findToken(context.core, { accessor }, context.namespace)
      return token ? found(seen(context, token, '')) : refuse('bad_accessor', 'invalid accessor')
    },
  }),
  renew: routeOperation({
    refuses: [...naming, ...tokenOperations.renew.refuses],
    run: async (context: SecretsContext, name: NamedToken, incrementSeconds: number) => {
      const named = await tokenNamed(context, name)
      if (isRefused(named)) return named
      const renewed = await renew(context.core, named.token, incrementSeconds)
      return renewed.ok ? found({ ...renewed.value, text: named.text }) : renewed
    },
  }),
  /** Revokes a token and its descendants; returns warnings. A token that is already invalid is a success. */
  revoke: routeOperation({
    refuses: [...naming, ...tokenOperations.revoke.refuses],
    run: async (context: SecretsContext, name: NamedToken) => {
      const named = await tokenNamed(context, name)
      if (isRefused(named)) {
        if (named.refusal.code === 'token_not_found') return found([])
        if (named.refusal.code === 'bad_accessor') return found(['No token found with this accessor'])
        return named
      }
      const revoked = await revokeToken(context.core, named.token)
      return revoked.ok ? found([]) : revoked
    },
  }),
  /** Revokes a token alone: its children become orphans. */
  revokeAlone: routeOperation({
    refuses: ['sudo_needed', 'token_not_found', ...tokenOperations.revoke.refuses],
    run: async ({ core, namespace, sudo }: SecretsContext, text: string) => {
      if (!sudo) return refuse('sudo_needed', 'root or sudo privileges required to revoke and orphan')
      const token = await findToken(core, { token: text }, namespace)
      return token ? revokeAlone(core, token) : refuse('token_not_found', 'token to revoke not found')
    },
  }),
}
