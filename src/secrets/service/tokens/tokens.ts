import { refuse } from '../../../kernel/index.ts'
import type { Snapshot } from '../../../store/index.ts'
import { addressWithin } from '../../tokens/bound-cidrs.ts'
import { lookupToken, type Token, type TokenView, useToken } from '../../tokens/index.ts'
import type { Opened } from '../core/barrier.ts'
import type { Caller, Core, Namespace } from '../core/core.ts'
import { type TokenHooks, type TokenIssuing, tokenIssuing } from './issuing.ts'
import { isLiving, livingOf, putToken, tokenAt, tokenRecords } from './records.ts'
import { type TokenRevocation, tokenRevocation } from './revocation.ts'
import { type TokenRolesService, tokenRolesService } from './roles.ts'
import { type TokenStrings, tokenStrings } from './token-strings.ts'

/** How a token is identified: by its text, or by its accessor. */
export type TokenName = { readonly token: string } | { readonly accessor: string }

/** The tokens of a service. */
export interface TokensService extends TokenIssuing, TokenRevocation, TokenRolesService {
  readonly texts: TokenStrings
  /** The valid token of a text, if it may be used from this address; does not count as a use. */
  readonly authenticate: (text: string, address: string | undefined) => Caller | undefined
  /** The current token of a caller while it is valid; it is still valid during the last of its uses. */
  readonly still: (caller: Caller) => Promise<Token | undefined>
  /** Counts one request of a token with limited uses; `undefined` when another request had the last one. */
  readonly use: (caller: Caller) => Promise<{ readonly caller: Caller; readonly last: boolean } | undefined>
  /** The valid token of a digest or accessor; with `within`, only in that namespace or below. */
  readonly find: (name: TokenName, within?: Namespace) => Promise<Token | undefined>
  readonly view: (token: Token) => TokenView
  /** The accessors of all live tokens of a namespace. */
  readonly accessors: (namespace: Namespace) => Promise<readonly string[]>
}

export function tokensService(core: Core, hooks: TokenHooks): TokensService {
  const texts = tokenStrings(core)
  const alive = (now: Snapshot, token: Token | undefined): Token | undefined =>
    token && isLiving(now, token, core.env().now) ? token : undefined

  const tokenIn = (now: Snapshot, { keyring }: Opened, name: TokenName): Token | undefined =>
    alive(
      now,
      'accessor' in name
        ? tokenRecords.find(now, 'accessor', name.accessor)?.value
        : (tokenAt(now, texts.digestOf(name.token, keyring)) ?? texts.readBatch(name.token, keyring)),
    )

  return {
    texts,
    find: async (name, within) => {
      const opened = core.barrier.enter()
      const found = tokenIn(await opened.view.fresh(), opened, name)
      return found?.namespace.startsWith(within?.path ?? '') ? found : undefined
    },
    authenticate: (text, address) => {
      const opened = core.barrier.enter()
      // The request has already refreshed the replica to find the mount.
      const token = tokenIn(opened.view.stale(), opened, { token: text })
      if (token === undefined) return undefined
      if (token.boundCidrs.length > 0 && !addressWithin(token.boundCidrs, address)) return undefined
      return { token, text }
    },
    still: async ({ token }) => {
      const now = await core.fresh()
      const stored = token.type === 'batch' ? token : tokenAt(now, token.digest)
      if (stored?.incarnation !== token.incarnation) return undefined
      return isLiving(now, { ...stored, numUses: 0 }, core.env().now) ? stored : undefined
    },
    use: async (caller) => {
      if (caller.token.numUses === 0) return { caller, last: false }
      const used = await core.commit<
        { readonly caller: Caller; readonly last: boolean },
        'permission_denied'
      >((tx, env) => {
        const stored = tx.get(tokenRecords, caller.token.digest)?.value
        if (stored === undefined || stored.numUses < 0)
          return refuse('permission_denied', 'permission denied')
        const used = useToken(stored, {}, env)
        if (!used.ok) return used
        if (used.state !== stored) putToken(tx, used.state)
        const { value, state: token } = used
        return core.happened(
          { ...used, value: { caller: { ...caller, token }, last: value.last } },
          { namespace: token.namespace },
        )
      })
      return used.ok ? used.value : undefined
    },
    view: (token) => lookupToken(token, core.env().now),
    accessors: async (namespace) => {
      const now = await core.fresh()
      const isAlive = livingOf(now, core.env().now)
      const tokens = tokenRecords
        .list(now)
        .filter(({ value }) => value.namespace === namespace.path && isAlive(value))
      return tokens.map(({ value }) => value.accessor).sort()
    },
    ...tokenIssuing(core, texts, hooks),
    ...tokenRevocation(core, hooks.sweepAt),
    ...tokenRolesService(core),
  }
}
