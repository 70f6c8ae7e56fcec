import type { Env } from '../../../kernel/index.ts'
import type { Token, TokenEvent } from '../../tokens/index.ts'
import type { Core } from '../core.ts'

/** Tells what happened to a token, where it happened. */
export const announcing =
  (core: Pick<Core, 'emit'>) =>
  (env: Env, token: Token, events: readonly TokenEvent[]): void => {
    for (const event of events) core.emit({ at: env.now, namespace: token.namespace, ...event })
  }
