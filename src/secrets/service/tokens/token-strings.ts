import { fromBase64, toHex } from '../../../crypto/index.ts'
import type { Exchange, Words } from '../../../http/index.ts'
import { toBase64Url } from '../../../oidc/read-token.ts'
import type { Keyring } from '../../seal/keyring.ts'
import { Token } from '../../tokens/model.ts'
import type { Core } from '../core/core.ts'
import { packNames, unpackNames } from './packed-names.ts'

/** Checks a custom text for a token: it must fit into a header, and must not look like a generated one. */
export const customTokenProblem = (text: string): string | undefined => {
  if (text.includes('.')) return 'custom token ID cannot have a "." in it, or the prefix of a generated one'
  return isTokenString(text)
    ? undefined
    : 'a custom token ID has 1 to 512 visible ASCII characters, without whitespace'
}

/** Whether a text can be sent as a token. */
export const isTokenString = (text: string): boolean => /^[\x21-\x7e]{1,512}$/.test(text)

/** The token of a request: its own header first, then the first `Authorization` that begins with `Bearer `. */
export const tokenOf = (exchange: Pick<Exchange, 'header'>, words: Words): string | undefined => {
  const own = words.read(exchange, 'Token')
  if (own !== undefined && own !== '') return own
  const bearer = exchange
    .header('authorization')
    ?.split(', ')
    .find((value) => value.startsWith('Bearer '))
  return bearer?.slice('Bearer '.length).trim() || undefined
}

const utf8 = new TextEncoder()

/** How many digests are cached, and up to which length of text: guesses must not fill the memory. */
const digestsKept = 256
const longestKept = 256

const bound = utf8.encode('batch token')

/** The key of digests and the cached digests, which are dropped when the service is sealed. */
const known = new WeakMap<Keyring, { readonly key: Uint8Array; readonly lately: Map<string, string> }>()

/** A random text. */
export const drawTokenString = (core: Pick<Core, 'randomText'>, length = 26): string =>
  `s.${core.randomText(length - 2)}`

/** The stored digest of a text: it finds the token, and cannot be used as one. */
export function digestOf({ crypto }: Pick<Core, 'crypto'>, text: string, keyring: Keyring): string {
  const kept = known.get(keyring) ?? { key: keyring.derive('tokens'), lately: new Map<string, string>() }
  known.set(keyring, kept)
  const { key, lately } = kept
  const found = lately.get(text)
  if (found !== undefined) return found
  const digest = toHex(crypto.hmac('sha256', key, text))
  if (lately.size >= digestsKept) lately.clear()
  if (text.length <= longestKept) lately.set(text, digest)
  return digest
}

/** The text of a batch token, which contains the encrypted token itself. */
export function batchString(token: Token, keyring: Keyring): string {
  const text = JSON.stringify({ ...token, policies: packNames(token.policies) })
  return `b.${toBase64Url(keyring.seal(utf8.encode(text), bound))}`
}

/** The batch token in a text, or `undefined` if it contains none of this service's. */
export function readBatchString(text: string, keyring: Keyring): Token | undefined {
  if (!text.startsWith('b.')) return undefined
  const letters = text.slice(2)
  const sealed = fromBase64(letters.replaceAll('-', '+').replaceAll('_', '/'))
  // The last letter has unused bits: of the texts that decode alike, only one is valid.
  if (sealed === undefined || toBase64Url(sealed) !== letters) return undefined
  const plain = keyring.open(sealed, bound)
  if (plain === undefined) return undefined
  const carried = JSON.parse(new TextDecoder().decode(plain))
  const token = Token.safeParse({ ...carried, policies: unpackNames(carried.policies) })
  return token.success ? token.data : undefined
}
