import type { Env } from '../../../kernel/index.ts'
import type { Token, TokenEvent } from '../../tokens/index.ts'
import type { Core } from '../core.ts'

/** Emits the events of a token, with its namespace. */
export const tokenEventEmitter =
  (core: Pick<Core, 'emit'>) =>
  (env: Env, token: Token, events: readonly TokenEvent[]): void => {
    for (const event of events) core.emit({ at: env.now, namespace: token.namespace, ...event })
  }
