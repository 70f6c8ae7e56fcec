import type { Exchange } from './exchange.ts'

/**
 * The product word in header names, and the other words a service accepts for it.
 *
 * @remarks
 * Header names contain a neutral product word (`X-Secrets-Token`). Existing clients of such APIs send their own; a
 * service that lists it as an alias works with them unchanged.
 */
export interface Words {
  /** The word of texts and documents. */
  readonly canonical: string
  /** Every word that is accepted and emitted, the canonical one first. */
  readonly all: readonly string[]
  /** The value of `X-<Word>-<suffix>` under the first word that has one. */
  readonly read: (request: Pick<Exchange, 'header'>, suffix: string) => string | undefined
  /** Headers by suffix, each under every word: those a client would look for (index, contact, get). */
  readonly emit: (values: Readonly<Record<string, string | undefined>>) => Readonly<Record<string, string>>
}

/**
 * Creates the {@link Words} of a service.
 *
 * @param list - words that are accepted and emitted, the canonical one first
 *
 * @example
 * ```ts
 * import { words } from 'plinth/http'
 *
 * const product = words(['Secrets', 'Acme'])
 * product.read({ header: (name) => (name === 'x-acme-token' ? 's.1' : undefined) }, 'Token') // 's.1'
 * product.emit({ Index: '7' }) // { 'X-Secrets-Index': '7', 'X-Acme-Index': '7' }
 * ```
 */
export function words(list: readonly [string, ...string[]]): Words {
  // Callers without types may pass nothing, or a string, which would iterate as letters.
  if (!Array.isArray(list))
    throw new TypeError(`words is ${typeof list}: pass a list, the product word of header names first`)
  if (list.length === 0)
    throw new TypeError('words is empty: pass at least one, the product word of header names')
  const all = [...new Set(list)]
  for (const word of all)
    if (!/^[A-Za-z][A-Za-z0-9]*$/.test(word))
      throw new TypeError(`"${word}" cannot be a header word: use ASCII letters and digits, a letter first`)
  const names = headerNames(all)
  return {
    canonical: list[0],
    all,
    read: (request, suffix) => {
      for (const name of names(suffix)) {
        const value = request.header(name.toLowerCase())
        if (value !== undefined) return value
      }
      return undefined
    },
    emit: (values) => {
      const headers: Record<string, string> = {}
      for (const suffix in values) {
        const value = values[suffix]
        if (value !== undefined) for (const name of names(suffix)) headers[name] = value
      }
      return headers
    },
  }
}

/** The words that a caller adds to those of a service. Callers without types may pass something else than a list. */
export function moreWords(list: readonly string[] = []): readonly string[] {
  if (Array.isArray(list)) return list
  throw new TypeError(`words is ${typeof list}: pass a list of product words of header names`)
}

/**
 * A sentence about a header that a refused request was meant to be judged by, if its word is unknown: without it the
 * client would only learn that it has no token.
 *
 * @param suffixes - of the headers that decide who calls, and where: `Token`
 */
export function unreadHeader(
  words: Words,
  suffixes: readonly string[],
  exchange: Pick<Exchange, 'header' | 'headerNames'>,
): string | undefined {
  for (const name of exchange.headerNames()) {
    const [, word = '', end = ''] = /^x-([a-z][a-z0-9]*)-([a-z]+)$/.exec(name) ?? []
    const suffix = suffixes.find((each) => each.toLowerCase() === end)
    if (suffix === undefined || otherUses.has(word) || words.read(exchange, suffix) !== undefined) continue
    const read = words.all.map((each) => `X-${each}-${suffix}`).join(' or ')
    return `the header ${name} is not read here: send ${read}, or create the service with words: ["${word}"]`
  }
  return undefined
}

/** Words of headers that frameworks and proxies set for themselves, such as `X-CSRF-Token`. */
const otherUses: ReadonlySet<string> = new Set(['csrf', 'xsrf', 'auth', 'access'])

/** Header names by suffix; suffixes are a service's own, and few. */
function headerNames(list: readonly string[]): (suffix: string) => readonly string[] {
  const known = new Map<string, readonly string[]>()
  return (suffix) => {
    let names = known.get(suffix)
    if (names === undefined) {
      names = list.map((word) => `X-${word}-${suffix}`)
      known.set(suffix, names)
    }
    return names
  }
}
