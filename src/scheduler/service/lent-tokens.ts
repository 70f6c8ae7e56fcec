import type { Env } from '../../kernel/index.ts'
import type { SchedulerRights } from './options.ts'

/** Tokens for rights that the embedding program gives a request: only this process can write them. */
export interface LentTokens {
  readonly tokenOf: (rights: SchedulerRights) => string
  /** The rights in a token; `undefined` for one of another kind. */
  readonly rightsIn: (token: string) => Required<SchedulerRights> | undefined
}

/** Creates the tokens of one service. */
export function lentTokens(env: () => Env): LentTokens {
  let secret: string | undefined
  return {
    tokenOf: ({ policies, name = 'authenticated' }) => {
      // Programs without types may return anything.
      if (!Array.isArray(policies))
        throw new TypeError("authenticate: return { policies: ['name'] } or undefined")
      secret ??= env().newId('secret')
      return secret + JSON.stringify({ policies, name })
    },
    rightsIn: (token) =>
      secret !== undefined && token.startsWith(secret) ? JSON.parse(token.slice(secret.length)) : undefined,
  }
}
