import type { Exchange } from '../../../http/index.ts'
import { refuse } from '../../../kernel/index.ts'
import { addressWithin } from '../../../networks/networks.ts'
import type { Snapshot } from '../../../store/index.ts'
import { type Token, useToken } from '../../tokens/index.ts'
import type { Opened } from '../core/barrier.ts'
import type { Caller, Core, Namespace } from '../core/core.ts'
import { isLiving, livingOf, putToken, tokenRecords } from './records.ts'
import { digestOf, readBatchString, tokenOf } from './token-strings.ts'

/** How a token is identified: by its text, or by its accessor. */
export type TokenName = { readonly token: string } | { readonly accessor: string }

const tokenIn = (core: Core, now: Snapshot, { keyring }: Opened, name: TokenName): Token | undefined => {
  const token =
    'accessor' in name
      ? tokenRecords.find(now, 'accessor', name.accessor)?.value
      : (tokenRecords.get(now, digestOf(core, name.token, keyring))?.value ??
        readBatchString(name.token, keyring))
  return token && isLiving(now, token, core.env().now) ? token : undefined
}

/** The valid token of a text or accessor; with `within`, only in that namespace or below. */
export async function findToken(core: Core, name: TokenName, within?: Namespace): Promise<Token | undefined> {
  const opened = core.barrier.enter()
  const found = tokenIn(core, await opened.view.fresh(), opened, name)
  return found?.namespace.startsWith(within?.path ?? '') ? found : undefined
}

/** The caller whose valid token a request has, if it may be used from the client's address; does not count as a use. */
export function bearerOf(core: Core, exchange: Exchange): Caller | undefined {
  const text = tokenOf(exchange, core.words)
  if (text === undefined) return undefined
  const opened = core.barrier.enter()
  // The request has already refreshed the replica to find the mount.
  const token = tokenIn(core, opened.view.stale(), opened, { token: text })
  if (token === undefined) return undefined
  if (token.boundCidrs.length > 0 && !addressWithin(token.boundCidrs, exchange.peer?.address))
    return undefined
  return { token, text }
}

/** The current token of a caller while it is valid; it is still valid during the last of its uses. */
export async function currentToken(core: Core, { token }: Caller): Promise<Token | undefined> {
  const now = await core.fresh()
  const stored = token.type === 'batch' ? token : tokenRecords.get(now, token.digest)?.value
  if (stored?.incarnation !== token.incarnation) return undefined
  return isLiving(now, { ...stored, numUses: 0 }, core.env().now) ? stored : undefined
}

/** Counts one request of a token with limited uses; `undefined` when another request had the last one. */
export async function countUse(
  core: Core,
  caller: Caller,
): Promise<{ readonly caller: Caller; readonly last: boolean } | undefined> {
  if (caller.token.numUses === 0) return { caller, last: false }
  const used = await core.commit<{ readonly caller: Caller; readonly last: boolean }, 'permission_denied'>(
    (tx, env) => {
      const stored = tx.get(tokenRecords, caller.token.digest)?.value
      if (stored === undefined || stored.numUses < 0) return refuse('permission_denied', 'permission denied')
      const used = useToken(stored, {}, env)
      if (!used.ok) return used
      if (used.state !== stored) putToken(tx, used.state)
      const { value, state: token } = used
      return core.happened(
        { ...used, value: { caller: { ...caller, token }, last: value.last } },
        { namespace: token.namespace },
      )
    },
  )
  return used.ok ? used.value : undefined
}

/** The accessors of all live tokens of a namespace. */
export async function liveAccessors(core: Core, namespace: Namespace): Promise<readonly string[]> {
  const now = await core.fresh()
  const isAlive = livingOf(now, core.env().now)
  const tokens = tokenRecords
    .list(now)
    .filter(({ value }) => value.namespace === namespace.path && isAlive(value))
  return tokens.map(({ value }) => value.accessor).sort()
}
