import { type Answer, type Refused, refuse, systemTimers } from '../../kernel/index.ts'
import { type Trusted, type TrustRefusal, trustRules } from '../../oidc/index.ts'
import type { Caller } from '../accounts/access.ts'
import { foldName } from '../boxes/names.ts'
import type { Core } from './core.ts'
import type { CatalogGuest, CatalogOptions } from './options.ts'

/** Finds the caller of a token by the trust rules; `undefined` for other tokens. */
export function trustedCallers({ crypto, env }: Pick<Core, 'crypto' | 'env'>, options: CatalogOptions) {
  const { trust, timers = systemTimers, fetch: send = fetch } = options
  const rules = trust && trustRules(trust, { fetch: send, timers, crypto, env })
  return async (
    token: string,
  ): Promise<Caller | Refused<'bad_token' | 'provider_unavailable'> | undefined> => {
    const judged = rules?.judge(token)
    return judged === undefined ? undefined : callerOf(await judged)
  }
}

/** A guest does on the boxes of its accounts what its role allows; elsewhere it reads, or does nothing. */
export const guestCaller = ({ name, role, owners, readsAll = false }: CatalogGuest): Caller => ({
  kind: 'user',
  username: name,
  administrator: true,
  guest: true,
  limits: {
    role,
    ...(owners && { owners: owners.map(foldName) }),
    ...(readsAll && { elsewhere: 'reader' as const }),
  },
})

/** A trusted token publishes the boxes of its accounts, as a publisher of them would, and does nothing else. */
function callerOf(
  judged: Answer<Trusted, TrustRefusal>,
): Caller | Refused<'bad_token' | 'provider_unavailable'> {
  if (judged.ok) {
    const { subject, namespaces } = judged.value
    return guestCaller({ name: subject, role: 'publisher', owners: namespaces })
  }
  const { code, message } = judged.refusal
  return code === 'provider_unavailable' ? refuse(code, message) : refuse('bad_token', message)
}
