import * as z from 'zod'
import { type Answer, refuse } from '../../../kernel/index.ts'
import type { Token } from '../../tokens/index.ts'
import type { Core, Namespace } from '../core/core.ts'
import type { TokensService } from '../tokens/tokens.ts'
import type { Cubbyhole } from './cubbyhole.ts'
import { isWrapping, wrappingToken } from './wrapping-token.ts'

/** The wrapping token of an answer. */
export interface Wrapped {
  readonly text: string
  readonly token: Token
}

type Result<Value> = Answer<Value, 'wrapping_token_bad'>

/** Wrapped answers, which can be read once with their wrapping token. */
export type Wrapping = ReturnType<typeof wrapping>

/** The path in the wrapping token's cubbyhole: older clients read the answer there themselves. */
const responsePath = 'response'
const KeptAnswer = z.object({ response: z.string() })

export function wrapping(core: Core, tokens: TokensService, cubbyhole: Cubbyhole) {
  const bad = refuse('wrapping_token_bad', 'wrapping token is not valid or does not exist')
  /** The wrapping token of a text, if its answer has not been read yet. */
  const lookup = async (text: string): Promise<Result<Token>> => {
    const found = await tokens.find({ token: text })
    return found && isWrapping(found) ? { ok: true, value: found } : bad
  }
  return {
    lookup,
    /** Stores an answer's JSON text for a new wrapping token. */
    wrap: async (
      json: string,
      {
        namespace,
        path,
        ttlSeconds,
      }: { readonly namespace: Namespace; readonly path: string; readonly ttlSeconds: number },
    ): Promise<Result<Wrapped>> => {
      const kept = await tokens.keep<never>((drawn, env) =>
        wrappingToken(
          { ...drawn, namespace: namespace.path, namespaceId: namespace.id, path, ttlSeconds },
          env,
        ),
      )
      if (!kept.ok) return bad
      const { token, text } = kept.value
      const written = await cubbyhole.write(token, responsePath, JSON.stringify({ response: json }))
      if (!written.ok) return bad
      return { ok: true, value: { token, text } }
    },
    /** The JSON text of a wrapping token, once. */
    unwrap: async (text: string): Promise<Result<{ readonly json: string; readonly token: Token }>> => {
      const found = await lookup(text)
      if (!found.ok) return found
      // Of two concurrent readers, one gets the use; the other finds it used up.
      const used = await tokens.use({ token: found.value, text })
      if (used === undefined) return bad
      const read = await cubbyhole.read(found.value, responsePath)
      const revoked = await tokens.revoke(found.value)
      if (!revoked.ok) core.report(new Error('a wrapping token could not be revoked'))
      return read.ok && read.value !== undefined
        ? {
            ok: true,
            value: { json: KeptAnswer.parse(JSON.parse(read.value)).response, token: found.value },
          }
        : bad
    },
  }
}
