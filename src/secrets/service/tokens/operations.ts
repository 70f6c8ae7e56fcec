import * as z from 'zod'
import { refuse } from '../../../kernel/index.ts'
import { argument, like, optionalArgument } from '../../../operation/arguments.ts'
import { fields } from '../../../operation/known-fields.ts'
import { operation } from '../../../operation/operation.ts'
import { lookupToken, rootToken } from '../../tokens/index.ts'
import { found } from '../core/answer.ts'
import { seconds, texts } from '../core/arguments.ts'
import type { Within } from '../core/context.ts'
import type { SecretsMethods } from '../core/methods.ts'
import type { TokenName } from './find-token.ts'
import { findToken, liveAccessors } from './find-token.ts'
import type { Issued } from './issuing.ts'
import { createChild } from './issuing.ts'
import { renew, tokenBounds } from './renew.ts'
import { revokeToken } from './revocation.ts'

/** The options of a new token. Durations are whole seconds. */
export interface TokenInput {
  readonly policies: readonly string[]
  /** The token role that creates it. */
  readonly role?: string | undefined
  /** The text of the token; random by default. */
  readonly token?: string | undefined
  readonly ttlSeconds?: number | undefined
  readonly explicitMaxTtlSeconds?: number | undefined
  readonly periodSeconds?: number | undefined
  readonly type?: 'service' | 'batch' | undefined
  readonly renewable?: boolean | undefined
  readonly numUses?: number | undefined
  readonly meta?: Readonly<Record<string, string>> | undefined
  readonly displayName?: string | undefined
  readonly noDefaultPolicy?: boolean | undefined
}

/** A new token. */
export interface TokenMade {
  /** The text of the token: returned once and not stored. */
  readonly token: string
  readonly accessor: string
  readonly policies: readonly string[]
  /** 0 if it never expires. */
  readonly ttlSeconds: number
  readonly warnings: readonly string[]
}

/** A new token, returned once. */
export const tokenMade = ({ text, token, warnings }: Issued): TokenMade => ({
  token: text,
  accessor: token.accessor,
  policies: token.policies,
  ttlSeconds: token.ttlSeconds,
  warnings,
})

const input = argument<TokenInput>(
  'input',
  fields({
    ...z
      .object({
        role: z.string(),
        token: z.string(),
        ttlSeconds: seconds,
        explicitMaxTtlSeconds: seconds,
        periodSeconds: seconds,
        type: z.enum(['service', 'batch']),
        renewable: z.boolean(),
        numUses: z.int(),
        meta: z.record(z.string(), z.string()),
        displayName: z.string(),
        noDefaultPolicy: z.boolean(),
      })
      .partial().shape,
    policies: texts,
  }),
)
const name = argument<TokenName>(
  'name',
  like(
    z.union([z.strictObject({ token: z.string() }), z.strictObject({ accessor: z.string() })], {
      error: 'expected { token } or { accessor }',
    }),
  ),
)

/** The operations on the tokens of a service. */
export const tokenOperations = {
  /**
   * Creates a token without a parent.
   *
   * @example
   * ```ts
   * import { devSecrets } from 'plinth/secrets'
   *
   * const { service } = await devSecrets()
   * await service.policies.write('dev', 'path "secret/data/app/*" { capabilities = ["read"] }')
   * const made = await service.tokens.create({ policies: ['dev'], ttlSeconds: 3600 })
   * made.ok && made.value.policies // ['default', 'dev']
   * await service.close()
   * ```
   */
  create: operation({
    takes: [input],
    refuses: [
      'permission_denied',
      'token_not_allowed',
      'token_invalid',
      'past_max_ttl',
      'policies_not_allowed',
      'root_not_allowed',
      'policy_internal',
      'token_role_unknown',
      'token_duplicate',
    ],
    run: async (at: Within, { policies, role, token: text, ...input }: TokenInput) => {
      // The embedding program has the rights of a root token, which is not stored.
      const root = rootToken({ digest: '', accessor: '' }, at.core.env())
      const bounds = await tokenBounds(at.core, at.namespace)
      // Without policies a token does not inherit those of its parent, which is root, unless the role names some.
      const wanted = policies.length === 0 && role === undefined ? ['default'] : policies
      const given = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined))
      const made = await createChild(
        at,
        root,
        { ...given, policies: wanted, role, text, orphan: 'granted' },
        { sudo: true, ...bounds },
      )
      return made.ok ? found(tokenMade(made.value)) : made
    },
  }),
  /**
   * Looks up a live token, by its text or its accessor.
   *
   * @example await secrets.tokens.lookup({ token })
   */
  lookup: operation({
    takes: [name],
    refuses: [],
    run: async ({ core }: Within, name: TokenName) => {
      const token = await findToken(core, name)
      return found(token && lookupToken(token, core.env().now))
    },
  }),
  /**
   * Renews a token; without an increment, for as long as it was last granted.
   *
   * @example await secrets.tokens.renew({ token }, 3600)
   */
  renew: operation({
    takes: [name, optionalArgument(argument<number>('incrementSeconds', like(seconds)))],
    refuses: [
      'token_not_found',
      'not_renewable',
      'past_max_ttl',
      'token_role_gone',
      'idp_policies_changed',
      'idp_not_configured',
      'login_policies_changed',
      'login_user_gone',
    ],
    run: async ({ core }: Within, name: TokenName, incrementSeconds: number = 0) => {
      const token = await findToken(core, name)
      return token ? renew(core, token, incrementSeconds) : refuse('token_not_found', 'token not found')
    },
  }),
  /**
   * Revokes a token and its descendants; false if there is no such live token.
   *
   * @example await secrets.tokens.revoke({ accessor })
   */
  revoke: operation({
    takes: [name],
    refuses: ['not_revocable'],
    run: async ({ core }: Within, name: TokenName) => {
      const token = await findToken(core, name)
      return token ? revokeToken(core, token) : found(false)
    },
  }),
  /**
   * The accessors of all live tokens.
   *
   * @example await secrets.tokens.accessors()
   */
  accessors: operation({
    takes: [],
    refuses: [],
    run: async ({ core, namespace }: Within) => found(await liveAccessors(core, namespace)),
  }),
}

/** The tokens of a service, for programs that embed it. */
export interface TokensHandle extends SecretsMethods<typeof tokenOperations> {}
