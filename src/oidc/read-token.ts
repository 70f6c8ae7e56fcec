import { fromBase64, toBase64 } from '../crypto/encoding.ts'
import { type Refused, refuse } from '../kernel/index.ts'
import { isObject } from '../kernel/objects.ts'

/** The longest token in characters: those of identity providers have a few thousand. */
export const longestToken = 65_536

/** The deepest nesting of the header and the claims of a token. */
export const deepestToken = 16

/** The claims of a token: any JSON, by name. */
export type Claims = Readonly<Record<string, unknown>>

/** A token whose signature has not been verified yet. */
export interface UnverifiedToken {
  readonly algorithm: string
  readonly keyId: string | undefined
  readonly claims: Claims
  /** The bytes that were signed. */
  readonly signed: Uint8Array
  readonly signature: Uint8Array
}

/** Why a token is not accepted. */
export const tokenRefused = (why: string): Refused<'token_refused'> => refuse('token_refused', why)

const utf8 = new TextDecoder('utf-8', { fatal: true })
const encoder = new TextEncoder()

/**
 * Reads a JSON Web Token in its compact form. The signature is not verified, so the claims are not to be trusted yet.
 * Header parameters that name keys (`jwk`, `jku`, `x5c`, `x5u`) are ignored.
 */
export function readToken(text: string): UnverifiedToken | Refused<'token_refused'> {
  if (text.length > longestToken)
    return tokenRefused(`the token has ${text.length} characters: at most ${longestToken} are accepted`)
  const parts = text.split('.', 6)
  if (parts.length === 5) return tokenRefused('the token is encrypted: send a signed one')
  const [head = '', body = '', tail = ''] = parts
  if (parts.length !== 3) return tokenRefused('the token is malformed: it must have three parts')
  const header = jsonPart(head)
  const claims = jsonPart(body)
  const signature = fromBase64Url(tail)
  if (header === undefined || claims === undefined || signature === undefined)
    return tokenRefused(
      'the token is malformed: its parts must be base64url, and its header and claims JSON objects',
    )
  const { alg, kid, crit } = header
  if (typeof alg !== 'string') return tokenRefused('the header of the token names no algorithm')
  if (kid !== undefined && typeof kid !== 'string')
    return tokenRefused('the header of the token names its key by something other than a string')
  if (crit !== undefined)
    return tokenRefused('the header of the token has critical extensions, which are unknown')
  return {
    algorithm: alg,
    keyId: kid,
    claims,
    signed: encoder.encode(`${head}.${body}`),
    signature,
  }
}

/** Base64url without padding. */
export const toBase64Url = (bytes: Uint8Array): string =>
  toBase64(bytes).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')

/** Decodes base64url without padding; `undefined` if it is not valid. */
export const fromBase64Url = (text: string): Uint8Array<ArrayBuffer> | undefined =>
  /^[A-Za-z0-9_-]*$/.test(text) ? fromBase64(text.replaceAll('-', '+').replaceAll('_', '/')) : undefined

function jsonPart(part: string): Record<string, unknown> | undefined {
  const bytes = fromBase64Url(part)
  if (bytes === undefined) return undefined
  try {
    const text = utf8.decode(bytes)
    if (isDeeperThan(text, deepestToken)) return undefined
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** Whether a JSON text nests deeper than that. It need not be valid. */
export function isDeeperThan(text: string, most: number): boolean {
  let depth = 0
  let inString = false
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at]
    if (inString) {
      if (char === '\\') at += 1
      else if (char === '"') inString = false
    } else if (char === '"') inString = true
    else if (char === '[' || char === '{') depth += 1
    else if (char === ']' || char === '}') depth -= 1
    if (depth > most) return true
  }
  return false
}
