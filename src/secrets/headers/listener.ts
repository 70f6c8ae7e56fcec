import { errorsArray, limitBody } from '../../http/index.ts'
import { addressOf } from '../../http/mount.ts'
import { type Refused, unwrap } from '../../kernel/index.ts'
import { type CrossOriginRules, judgeOrigin } from './cross-origin.ts'
import { type CustomHeaders, customHeaders } from './custom-headers.ts'

/**
 * What one listener adds to the service behind it.
 *
 * @public
 */
export interface ListenerRules {
  readonly customResponseHeaders?: CustomHeaders | undefined
  readonly crossOrigin?: CrossOriginRules | undefined
  /** Refuses API requests without `X-Secrets-Request: true`, which no form of a web page can send. */
  readonly requireRequestHeader?: boolean | undefined
  /** The largest request body in bytes. */
  readonly maxRequestBytes?: number | undefined
}

/**
 * Puts the rules of a listener around a secrets service's handler; one service can stand behind several.
 *
 * @remarks
 * Headers are laid over every response, refusals included, wherever it is.
 *
 * @param words - the product words of the service, the canonical one first
 *
 * @throws DomainError when the response headers cannot be; check them with {@link listenerRulesProblem} first
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
 *
 * @public
 */
export function listener(
  fetch: (request: Request) => Promise<Response>,
  rules: ListenerRules,
  words: readonly [string, ...string[]] = ['Secrets'],
): (request: Request) => Promise<Response> {
  const headers = unwrap(customHeaders(rules.customResponseHeaders ?? {}, words))
  return async (request) => {
    if (rules.maxRequestBytes !== undefined) limitBody(request, rules.maxRequestBytes)
    const response = await answer(request)
    for (const [name, value] of headers.forStatus(response.status)) response.headers.set(name, value)
    return response
  }

  async function answer(request: Request): Promise<Response> {
    const verdict = rules.crossOrigin ? judgeOrigin(request, rules.crossOrigin, words) : undefined
    if (verdict?.kind === 'refused') return refusal(verdict.status, verdict.message)
    if (verdict?.kind === 'preflight')
      return new Response(null, { status: 204, headers: [...verdict.headers] })
    if (rules.requireRequestHeader && !carriesRequestHeader(request, words))
      return refusal(412, `missing the "X-${words[0]}-Request: true" header, which this listener requires`)
    const response = await fetch(request)
    if (verdict?.kind === 'allowed')
      for (const [name, value] of verdict.headers) response.headers.set(name, value)
    return response
  }
}

/**
 * Says why a listener's rules make no sense: what {@link listener} would throw for, as data.
 *
 * @returns `undefined` when they do
 *
 * @example
 * ```ts
 * import { listenerRulesProblem } from 'plinth/secrets'
 *
 * const headers = (name: string) => ({ customResponseHeaders: { default: { [name]: ['x'] } } })
 * listenerRulesProblem(headers('X-Team')) // undefined
 * listenerRulesProblem(headers('X Team'))?.refusal.code // 'invalid_response_headers'
 * ```
 *
 * @public
 */
export function listenerRulesProblem(
  rules: ListenerRules,
  words: readonly string[] = ['Secrets'],
): Refused<'invalid_response_headers'> | undefined {
  const headers = customHeaders(rules.customResponseHeaders ?? {}, words)
  return headers.ok ? undefined : headers
}

const carriesRequestHeader = (request: Request, words: readonly string[]): boolean =>
  !addressOf(request).pathname.startsWith('/v1/') ||
  words.some((word) => request.headers.get(`X-${word}-Request`)?.toLowerCase() === 'true')

const refusal = (status: number, message: string): Response => {
  const { content, type } = errorsArray({ code: 'listener', message }, status)
  return new Response(`${content}\n`, {
    status,
    headers: { 'content-type': type ?? 'application/json', 'cache-control': 'no-store' },
  })
}
