import * as z from 'zod'
import { type Answer, refuse } from '../../../kernel/index.ts'
import { routeOperation } from '../../../operation/operation.ts'
import type { Token } from '../../tokens/index.ts'
import { found } from '../core/answer.ts'
import type { SecretsContext, Within } from '../core/context.ts'
import type { Core } from '../core/core.ts'
import { readBody } from '../core/exact-body.ts'
import { countUse, findToken } from '../tokens/find-token.ts'
import { keepToken } from '../tokens/issuing.ts'
import { revokeToken } from '../tokens/revocation.ts'
import { readCubbyhole, writeCubbyhole } from './cubbyhole.ts'
import { isWrapping, wrappingToken } from './wrapping-token.ts'

/** The wrapping token of an answer. */
export interface Wrapped {
  readonly text: string
  readonly token: Token
}

type Result<Value> = Answer<Value, 'wrapping_token_bad'>

/** The path in the wrapping token's cubbyhole: older clients read the answer there themselves. */
const responsePath = 'response'
const KeptAnswer = z.object({
  response: z.string(),
  /** 404 for the metadata of a deleted secret. */
  status: z.int().default(200),
})

/** An answer that a token wraps: its JSON text and its status. */
export interface KeptAnswer {
  readonly json: string
  readonly status: number
}

const bad = refuse('wrapping_token_bad', 'wrapping token is not valid or does not exist')
const missing = () => refuse('wrapping_token_missing', 'missing "token" value in input')

/** The wrapping token of a text, if its answer has not been read yet. */
async function lookup(core: Core, text: string): Promise<Result<Token>> {
  const token = await findToken(core, { token: text })
  return token && isWrapping(token) ? found(token) : bad
}

/** Stores an answer for a new wrapping token. */
export async function wrap(
  { core, namespace }: Within,
  { json, status }: KeptAnswer,
  { path, ttlSeconds }: { readonly path: string; readonly ttlSeconds: number },
): Promise<Result<Wrapped>> {
  const made = await keepToken<never>(core, (drawn, env) =>
    wrappingToken({ ...drawn, namespace: namespace.path, namespaceId: namespace.id, path, ttlSeconds }, env),
  )
  if (!made.ok) return bad
  const { token, text } = made.value
  // Older clients read it there themselves, and expect nothing else.
  const kept = status === 200 ? { response: json } : { response: json, status }
  const written = await writeCubbyhole(core, token, responsePath, JSON.stringify(kept))
  if (!written.ok) return bad
  return found({ token, text })
}

/** The answer of a wrapping token, once. */
async function unwrapOnce(core: Core, text: string): Promise<Result<KeptAnswer & { readonly token: Token }>> {
  const kept = await lookup(core, text)
  if (!kept.ok) return kept
  // Of two concurrent readers, one gets the use; the other finds it used up.
  const used = await countUse(core, { token: kept.value, text })
  if (used === undefined) return bad
  const read = await readCubbyhole(core, kept.value, responsePath)
  const revoked = await revokeToken(core, kept.value)
  if (!revoked.ok) core.report(new Error('a wrapping token could not be revoked'))
  if (!read.ok || read.value === undefined) return bad
  const { response: json, status } = KeptAnswer.parse(JSON.parse(read.value))
  return found({ json, status, token: kept.value })
}

const refuses = ['wrapping_token_bad', 'wrapping_token_missing'] as const

/** The operations on wrapped answers, which can be read once with their wrapping token. */
export const wrappingOperations = {
  /** Reads arbitrary data that the answer will wrap. */
  wrap: routeOperation({
    refuses: ['wrap_ttl_missing', 'data_not_a_map', 'data_too_deep'],
    run: async ({ wrapTtlSeconds }: SecretsContext, text: string) => {
      if (wrapTtlSeconds === 0)
        return refuse(
          'wrap_ttl_missing',
          'endpoint requires response wrapping to be used: send the wrap TTL in a header',
        )
      const body = readBody(text)
      return 'ok' in body ? body : found(body)
    },
  }),
  lookup: routeOperation({
    refuses,
    run: async ({ core }: Within, text: string | undefined) => (text ? lookup(core, text) : missing()),
  }),
  unwrap: routeOperation({
    refuses,
    run: async ({ core }: Within, text: string | undefined) => (text ? unwrapOnce(core, text) : missing()),
  }),
  /** Moves an answer to a new wrapping token. */
  rewrap: routeOperation({
    refuses,
    run: async (at: Within, text: string | undefined) => {
      if (!text) return missing()
      const opened = await unwrapOnce(at.core, text)
      if (!opened.ok) return opened
      const { token } = opened.value
      return wrap(at, opened.value, { path: token.path, ttlSeconds: token.creationTtlSeconds })
    },
  }),
}
