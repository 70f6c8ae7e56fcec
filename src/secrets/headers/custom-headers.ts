import { type Refused, refuse } from '../../kernel/index.ts'

/**
 * The response headers in a listener's configuration: under `default`, a class such as `3xx`, or an exact status, each
 * header with its values.
 */
export type CustomHeaders = Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>

/**
 * Response headers, ready to be added to a response.
 */
export interface ResponseHeaders {
  /** Name and value of every header for a status: `default`, then the class, then the exact status. */
  readonly forStatus: (status: number) => ReadonlyMap<string, string>
  /** Ignored names, because they are reserved for the service. */
  readonly dropped: readonly string[]
}

/** HSTS is on by default, unless the configuration sets the header. */
const transportSecurity = ['Strict-Transport-Security', 'max-age=31536000; includeSubDomains'] as const

/**
 * Reads `custom_response_headers`.
 *
 * @remarks
 * Values of one header are joined with `; `. A status-specific key overrides the same header of `default`, an exact
 * status that of its class. Names that begin with the service's own prefix (`X-Secrets-`) are left out.
 *
 * @param words - the product words whose prefix is reserved
 *
 * @returns the headers, or `invalid_response_headers` naming the key or header that cannot be
 *
 * @example
 * ```ts
 * import { customHeaders } from 'plinth/secrets'
 *
 * const read = customHeaders({ default: { 'X-Team': ['infra'] }, '3xx': { 'X-Team': ['moved'] } }, ['Secrets'])
 * read.ok && read.value.forStatus(307).get('X-Team') // 'moved'
 * ```
 */
export function customHeaders(
  config: CustomHeaders,
  words: readonly string[],
): { readonly ok: true; readonly value: ResponseHeaders } | Refused<'invalid_response_headers'> {
  const levels = new Map<string, Map<string, string>>()
  const dropped: string[] = []
  for (const [key, headers] of Object.entries(config)) {
    if (!/^(?:default|[1-5]xx|[1-5]\d\d)$/.test(key))
      return refuse(
        'invalid_response_headers',
        `invalid status code found in the server configuration: ${key}`,
        { key },
      )
    const level = new Map<string, string>()
    for (const [name, values] of Object.entries(headers)) {
      const canonical = canonicalName(name)
      if (canonical === undefined)
        return refuse('invalid_response_headers', `"${name}" under ${key} is not a valid header name`, {
          key,
          name,
        })
      if (words.some((word) => canonical.toLowerCase().startsWith(`x-${word.toLowerCase()}-`))) {
        dropped.push(canonical)
        continue
      }
      const value = values
        .map((text) => text.trim())
        .filter((text) => text !== '')
        .join('; ')
      if (/[^\t\x20-\x7e\x80-\xff]/.test(value))
        return refuse(
          'invalid_response_headers',
          `the value of "${name}" under ${key} contains characters that headers cannot have`,
          { key, name },
        )
      if (value !== '') level.set(canonical, value)
    }
    levels.set(key, level)
  }
  const merged = new Map(levels.get('default'))
  const [name, value] = transportSecurity
  if (!merged.has(name)) merged.set(name, value)
  return {
    ok: true,
    value: {
      dropped,
      forStatus: (status) =>
        new Map([
          ...merged,
          ...(levels.get(`${Math.floor(status / 100)}xx`) ?? []),
          ...(levels.get(String(status)) ?? []),
        ]),
    },
  }
}

/** `content-security-policy` → `Content-Security-Policy`; `undefined` for an invalid name. */
export const canonicalName = (name: string): string | undefined =>
  /^[!#$%&'*+.^_`|~\w-]+$/.test(name)
    ? name.toLowerCase().replace(/(^|-)[a-z]/g, (letter) => letter.toUpperCase())
    : undefined
