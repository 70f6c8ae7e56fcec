import { edgeRefusal } from '../../http/edge-refusal.ts'
import type { ReceivedExchange } from '../../http/exchange.ts'
import { exchangeHandlerOf, fetchOf } from '../../http/fetch.ts'
import {
  type Answered,
  type Exchange,
  type FetchHandler,
  type ServiceFetch,
  withBodyLimit,
} from '../../http/index.ts'
import { moreWords } from '../../http/words.ts'
import { type Refused, unwrap } from '../../kernel/index.ts'
import { type CrossOriginRules, judgeOrigin } from './cross-origin.ts'
import { type CustomHeaders, customHeaders } from './custom-headers.ts'

/**
 * The rules that a listener adds to its service.
 */
export interface ListenerRules {
  readonly customResponseHeaders?: CustomHeaders | undefined
  readonly crossOrigin?: CrossOriginRules | undefined
  /** Refuses API requests without `X-Secrets-Request: true`, which no HTML form can send. */
  readonly requireRequestHeader?: boolean | undefined
  /** The largest request body in bytes. */
  readonly maxRequestBytes?: number | undefined
}

/**
 * Wraps a secrets service's handler with the rules of a listener; one service can have several listeners.
 *
 * @remarks
 * Headers are added to every response, refusals included.
 *
 * @param added - the product words that the service was created with, its option `words`
 *
 * @throws DomainError if the response headers are invalid; check them with {@link listenerRulesProblem} first
 *
 * @example
 * ```ts
 * import { devSecrets, listener } from 'plinth/secrets'
 *
 * const { service } = await devSecrets()
 * const strict = listener(service.fetch, { requireRequestHeader: true })
 * const answer = await strict(new Request('http://localhost/v1/sys/health'))
 * answer.status // 412
 * await service.close()
 * ```
 */
export function listener(fetch: FetchHandler, rules: ListenerRules, added?: readonly string[]): ServiceFetch {
  const words = productWords(added)
  const headers = unwrap(customHeaders(rules.customResponseHeaders ?? {}, words))
  const limited = rules.maxRequestBytes === undefined ? fetch : withBodyLimit(fetch, rules.maxRequestBytes)
  const handler = exchangeHandlerOf(limited)
  return fetchOf(async (exchange) => {
    const answered = await answer(exchange)
    Object.assign(answered.headers, lowerCased(headers.forStatus(answered.status)))
    return answered
  })

  async function answer(exchange: ReceivedExchange): Promise<Answered> {
    const verdict = rules.crossOrigin ? judgeOrigin(exchange, rules.crossOrigin, words) : undefined
    if (verdict?.kind === 'refused') return edgeRefusal(verdict.status, verdict.message)
    if (verdict?.kind === 'preflight')
      return { status: 204, headers: lowerCased(verdict.headers), body: undefined }
    if (rules.requireRequestHeader && !carriesRequestHeader(exchange, words))
      return edgeRefusal(
        412,
        `missing the "X-${words[0]}-Request: true" header, which this listener requires`,
      )
    const answered = await handler(exchange)
    if (verdict?.kind === 'allowed') Object.assign(answered.headers, lowerCased(verdict.headers))
    return answered
  }
}

/**
 * Checks a listener's rules: returns the problem for which {@link listener} would throw.
 *
 * @returns `undefined` if they are valid
 *
 * @example
 * ```ts
 * import { listenerRulesProblem } from 'plinth/secrets'
 *
 * const headers = (name: string) => ({ customResponseHeaders: { default: { [name]: ['x'] } } })
 * listenerRulesProblem(headers('X-Team')) // undefined
 * listenerRulesProblem(headers('X Team'))?.refusal.code // 'invalid_response_headers'
 * ```
 */
export function listenerRulesProblem(
  rules: ListenerRules,
  added?: readonly string[],
): Refused<'invalid_response_headers'> | undefined {
  const headers = customHeaders(rules.customResponseHeaders ?? {}, productWords(added))
  return headers.ok ? undefined : headers
}

/** The words of header names that this service knows: its own, that of existing clients, and those a caller adds. */
export const productWords = (added?: readonly string[]): readonly [string, ...string[]] => [
  'Secrets',
  'Vault',
  ...moreWords(added),
]

const lowerCased = (headers: ReadonlyMap<string, string>): Record<string, string> =>
  Object.fromEntries([...headers].map(([name, value]) => [name.toLowerCase(), value]))

const carriesRequestHeader = (exchange: Exchange, words: readonly string[]): boolean =>
  !exchange.path.startsWith('/v1/') ||
  words.some((word) => exchange.header(`x-${word.toLowerCase()}-request`)?.toLowerCase() === 'true')
