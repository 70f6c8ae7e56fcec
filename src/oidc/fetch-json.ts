import { parsedJson } from '../kernel/decoded.ts'
import { type Answer, type Refused, refuse, type Timers } from '../kernel/index.ts'
import { isDeeperThan } from './read-token.ts'

/** How a provider is reached. */
export interface Reach {
  /** Sends the requests. */
  readonly fetch: typeof fetch
  /** End calls that take too long. */
  readonly timers: Timers
}

/** How long a call may take, in milliseconds, its redirects and its body included. */
const longestCallMs = 10_000

/** The largest answer in characters. */
const largestAnswer = 512 * 1024

const mostRedirects = 3
const deepestAnswer = 32

/** An answer of a provider. */
export interface ProviderReply {
  readonly status: number
  readonly json: unknown
}

/** The refusal if a provider does not answer as it should. */
export const unavailable = (why: string): Refused<'provider_unavailable'> =>
  refuse('provider_unavailable', why)

/**
 * Fetches JSON from a provider. Redirects are followed within the origin of the address only: elsewhere, others would
 * decide which keys are trusted, or receive the client's secret.
 */
export async function fetchJson(
  { fetch: send, timers }: Reach,
  address: string,
  init: RequestInit = {},
): Promise<Answer<ProviderReply, 'provider_unavailable'>> {
  const limit = new AbortController()
  const cancel = timers.after(longestCallMs, () => limit.abort(), { hold: true })
  // A fetch that ignores the signal does not hold the caller either.
  const late = new Promise<Answer<ProviderReply, 'provider_unavailable'>>((resolve) => {
    limit.signal.addEventListener('abort', () =>
      resolve(unavailable(`${originOf(address)} did not answer within ${longestCallMs / 1000} s`)),
    )
  })
  try {
    return await Promise.race([late, follow(send, address, { ...init, signal: limit.signal })])
  } catch {
    // The reason may quote the request, which can contain a secret.
    return unavailable(`${originOf(address)} cannot be reached`)
  } finally {
    cancel()
  }
}

async function follow(
  send: typeof fetch,
  address: string,
  init: RequestInit,
): Promise<Answer<ProviderReply, 'provider_unavailable'>> {
  let url = new URL(address)
  for (let redirects = 0; redirects <= mostRedirects; redirects += 1) {
    const response = await send(url.href, {
      ...init,
      redirect: 'manual',
      headers: { accept: 'application/json', ...init.headers },
    })
    const location = response.headers.get('location')
    if (response.type !== 'opaqueredirect' && (response.status < 300 || response.status > 399))
      return read(url, response)
    await response.body?.cancel()
    const next =
      location !== null && URL.canParse(location, url.href) ? new URL(location, url.href) : undefined
    if (next?.origin !== url.origin)
      return unavailable(`${url.origin} redirects elsewhere: configure the address that answers itself`)
    if (init.method === 'POST') return unavailable(`${url.origin} redirects a POST request`)
    url = next
  }
  return unavailable(`${url.origin} redirects more than ${mostRedirects} times`)
}

async function read(url: URL, response: Response): Promise<Answer<ProviderReply, 'provider_unavailable'>> {
  const text = await textWithin(largestAnswer, response)
  if (text === undefined)
    return unavailable(`the answer of ${url.origin} is larger than ${largestAnswer} characters`)
  const { status } = response
  if (isDeeperThan(text, deepestAnswer)) return unavailable(`the answer of ${url.origin} nests too deeply`)
  const json = parsedJson(text)
  if (json === undefined) return unavailable(`${url.origin} answered with status ${status} and no JSON`)
  return { ok: true, value: { status, json } }
}

/** The text of an answer; `undefined` if it has more characters. */
export async function textWithin(most: number, response: Response): Promise<string | undefined> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true })
    if (text.length > most) return undefined
  }
  return text + decoder.decode()
}

/** The origin of an address, for messages: paths and queries can contain secrets. */
export const originOf = (address: string): string =>
  URL.canParse(address) ? new URL(address).origin : 'the provider'
