import { transact } from '../../../store/index.ts'
import { orphanToken, revocationProblem, type Token } from '../../tokens/index.ts'
import type { SecretsAnswer } from '../answer.ts'
import { type Core, isRefused } from '../core.ts'
import { childrenOf, endToken, markLate, putToken, tokenRecords } from './records.ts'
import { tokenEventEmitter } from './token-events.ts'

/** How tokens end before their time. */
export interface TokenRevocation {
  /** Ends a token with all its descendants. */
  readonly revoke: (token: Token) => Promise<SecretsAnswer<boolean, 'not_revocable'>>
  /** Ends a token alone: its children become orphans. */
  readonly revokeAlone: (token: Token) => Promise<SecretsAnswer<boolean, 'not_revocable'>>
  /** Ends stored tokens, living or not, with their descendants: those of what is gone. */
  readonly revokeAll: (isMeant: (token: Token) => boolean) => Promise<void>
}

/** Children freed in one commit: each is a token and its place below its parent. */
const maxFreed = 24

/**
 * @param sweepAt - hears that there is something to take away
 */
export function tokenRevocation(core: Core, sweepAt: (instant: number) => void): TokenRevocation {
  const emit = tokenEventEmitter(core)

  const revoke = async (token: Token, alone: boolean): Promise<SecretsAnswer<boolean, 'not_revocable'>> => {
    const refused = revocationProblem(token)
    if (refused) return refused
    const opened = core.barrier.enter()
    if (isRefused(opened)) return opened
    const env = core.env()
    const { result } = await transact(opened.view, core.newCommitId, (tx) => {
      const stored = tx.get(tokenRecords, token.digest)?.value
      if (stored?.incarnation !== token.incarnation) return 'gone'
      if (alone) {
        const children = childrenOf(tx.now, stored, maxFreed)
        for (const child of children) {
          const orphan = orphanToken(child, {}, env)
          if (orphan.ok) putToken(tx, orphan.state)
        }
        // Its children must all be free before it goes: some live on while the next are freed.
        if (children.length === maxFreed) return 'more'
      }
      endToken(tx, stored)
      return 'ended'
    })
    if (result === 'more') return revoke(token, alone)
    if (result === 'ended') {
      await markLate(opened.view, core.newCommitId, [token])
      emit(env, token, [{ type: 'token.revoked', accessor: token.accessor }])
      sweepAt(env.now)
    }
    return { ok: true, value: result === 'ended' }
  }

  return {
    revoke: (token) => revoke(token, false),
    revokeAlone: (token) => revoke(token, true),
    revokeAll: async (isMeant) => {
      const opened = core.barrier.enter()
      if (isRefused(opened)) return
      for (const { value: token } of tokenRecords.list(await opened.view.fresh()))
        if (isMeant(token)) await revoke(token, false)
    },
  }
}
