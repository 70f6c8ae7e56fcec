import { type Answer, unwrap } from '../../../kernel/index.ts'
import { orphanToken, revocationProblem, type Token } from '../../tokens/index.ts'
import type { Core } from '../core/core.ts'
import { done } from '../core/decision.ts'
import { childrenOf, endToken, markLate, putToken, tokenRecords } from './records.ts'

/** Children released per commit: each is a token and its index record below its parent. */
const maxFreed = 24

async function end(core: Core, token: Token, alone: boolean): Promise<Answer<boolean, 'not_revocable'>> {
  const refused = revocationProblem(token)
  if (refused) return refused
  const ended = unwrap(
    await core.commit<boolean | 'more'>((tx, env) => {
      const stored = tx.get(tokenRecords, token.digest)?.value
      if (stored?.incarnation !== token.incarnation) return done(false)
      if (alone) {
        const children = childrenOf(tx.now, stored, maxFreed)
        for (const child of children) {
          const orphan = orphanToken(child, {}, env)
          if (orphan.ok) putToken(tx, orphan.state)
        }
        // All of its children must be orphans before it is deleted: some stay valid while the next are released.
        if (children.length === maxFreed) return done('more')
      }
      endToken(tx, stored)
      return done(true)
    }),
  )
  if (ended === 'more') return end(core, token, alone)
  if (ended) {
    await markLate(core, [token])
    const { now: at } = core.env()
    core.emit({ at, namespace: token.namespace, type: 'token.revoked', accessor: token.accessor })
    core.sweeper.at(at)
  }
  return { ok: true, value: ended }
}

/** Revokes a token with all its descendants. */
export const revokeToken = (core: Core, token: Token) => end(core, token, false)

/** Revokes a token alone: its children become orphans. */
export const revokeAlone = (core: Core, token: Token) => end(core, token, true)

/** Deletes stored tokens, valid or not, with their descendants: those of deleted mounts and namespaces. */
export async function revokeAll(core: Core, isMeant: (token: Token) => boolean): Promise<void> {
  // These tokens are invalid already: it does not matter if the service is sealed before they are deleted.
  const opened = core.barrier.ifOpen()
  for (const { value: token } of opened ? tokenRecords.list(await opened.view.fresh()) : [])
    if (isMeant(token)) await end(core, token, false)
}
