import { type Env, type Outcome, refuse } from '../../kernel/index.ts'
import type { Token, TokenEvent } from './model.ts'

/**
 * The tokens to revoke with a token, itself first, deepest last. Once the token itself is deleted, all of them are
 * dead; deleting them too may happen in any order and any number of steps.
 *
 * @param childrenOf - the digests of the stored tokens whose parent is this one
 *
 * @example
 * ```ts
 * import { unwrap } from 'plinth'
 * import { createToken, rootToken, treeOf } from 'plinth/tokens'
 * import { testClock } from 'plinth/testing'
 *
 * const env = testClock().env()
 * const root = rootToken({ digest: 'r', accessor: 'root' }, env)
 * const { token: child } = unwrap(createToken(root, { digest: 'd', accessor: 'child', policies: ['dev'] }, env))
 * treeOf(root, ({ accessor }) => (accessor === 'root' ? [child] : [])).map(({ accessor }) => accessor) // ['root', 'child']
 * ```
 */
export function treeOf(token: Token, childrenOf: (parent: Token) => readonly Token[]): readonly Token[] {
  const tree: Token[] = [token]
  for (let at = 0; at < tree.length; at += 1) {
    const parent = tree[at]
    if (parent) tree.push(...childrenOf(parent))
  }
  return tree
}

/**
 * Makes a child an orphan, when the parent is revoked alone.
 *
 * @example
 * ```ts
 * import { unwrap, unwrapStep } from 'plinth'
 * import { createToken, isAlive, orphanToken, rootToken } from 'plinth/tokens'
 *
 * const env = { now: Date.UTC(2026, 0, 1), newId: () => 'i' }
 * const parent = rootToken({ digest: 'p', accessor: 'a' }, env)
 * const { token } = unwrap(createToken(parent, { digest: 'd', accessor: 'b', policies: ['dev'] }, env))
 * const parentIsGone = () => undefined
 * isAlive(token, env.now, parentIsGone) // false
 * const freed = unwrapStep(orphanToken(token, {}, env)).state
 * isAlive(freed, env.now, parentIsGone) // true
 * ```
 */
export function orphanToken(
  token: Token,
  _input: Readonly<Record<never, never>>,
  _env?: Env,
): Outcome<Token, undefined, TokenEvent> {
  return { ok: true, state: { ...token, parent: null }, value: undefined, events: [] }
}

/**
 * Returns why a token cannot be revoked: batch tokens are not stored, and end when they expire, or with their parent.
 *
 * @example
 * ```ts
 * import { revocationProblem, rootToken } from 'plinth/tokens'
 *
 * const token = rootToken({ digest: 'd', accessor: 'a' }, { now: 0, newId: () => 'i' })
 * revocationProblem(token) // undefined
 * revocationProblem({ ...token, type: 'batch' })?.refusal.code // 'not_revocable'
 * ```
 */
export const revocationProblem = (token: Token) =>
  token.type === 'batch' ? refuse('not_revocable', 'batch tokens cannot be revoked') : undefined
