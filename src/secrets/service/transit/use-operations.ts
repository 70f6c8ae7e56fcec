import { type CryptoPort, toBase64 } from '../../../crypto/index.ts'
import { type Answer, refuse } from '../../../kernel/index.ts'
import { nextMacrotask } from '../../../kernel/next-macrotask.ts'
import { isRefused } from '../../../kernel/refusal.ts'
import { routeOperation } from '../../../operation/operation.ts'
import type { TransitKey } from '../../transit/model.ts'
import { found } from '../core/answer.ts'
import type { SecretsContext, Sited } from '../core/context.ts'
import { digestNamed } from '../tools/routes.ts'
import { keyNow, unknownKey, useRefusals } from './find-key.ts'
import { transitOperations } from './operations.ts'
import {
  type Bound,
  decrypt,
  encrypt,
  hmac,
  rewrap,
  sign,
  type TransitUseRefusal,
  verify,
} from './using-keys.ts'
import { bytesGiven, type Item, type UseBody } from './wire.ts'

/** How many items of a batch are processed before other requests continue. */
const slice = 64

type Fields = Readonly<Record<string, unknown>>
type Use = (
  crypto: CryptoPort,
  key: TransitKey,
  item: Item,
  body: UseBody,
) => Answer<Fields, TransitUseRefusal>

const invalid = (message: string) => refuse('transit_input_invalid', message)

/** Unsupported fields, which are refused because their request would not be honoured. */
const notSupported = ({ nonce }: Item) =>
  nonce ? refuse('transit_unsupported', 'convergent keys are not supported: leave the nonce out') : undefined

/** What a ciphertext is bound to: the associated data, and the context of a derived key. */
function boundTo(item: Item): Answer<Bound, 'transit_input_invalid'> {
  const given = (text: string | undefined, what: string) =>
    text ? bytesGiven(text, what) : ({ ok: true, value: undefined } as const)
  const [associated, context] = [
    given(item.associated_data, 'associated_data'),
    given(item.context, 'context'),
  ]
  if (!associated.ok) return associated
  return context.ok ? found({ associatedData: associated.value, context: context.value }) : context
}

const encryptItem: Use = (crypto, key, item) => {
  const [plain, bound] = [bytesGiven(item.plaintext, 'plaintext to encrypt'), boundTo(item)]
  if (!plain.ok) return plain
  if (!bound.ok) return bound
  const made = encrypt(crypto, key, plain.value, { ...bound.value, keyVersion: item.key_version })
  return made.ok ? found({ ciphertext: made.value.text, key_version: made.value.version }) : made
}
const decryptItem: Use = (crypto, key, item) => {
  const bound = boundTo(item)
  if (!bound.ok) return bound
  if (!item.ciphertext) return invalid('missing ciphertext to decrypt')
  const plain = decrypt(crypto, key, item.ciphertext, bound.value)
  return plain.ok ? found({ plaintext: toBase64(plain.value) }) : plain
}
const rewrapItem: Use = (crypto, key, item) => {
  const bound = boundTo(item)
  if (!bound.ok) return bound
  if (!item.ciphertext) return invalid('missing ciphertext to decrypt')
  const made = rewrap(crypto, key, item.ciphertext, { ...bound.value, keyVersion: item.key_version })
  return made.ok ? found({ ciphertext: made.value.text, key_version: made.value.version }) : made
}

/** The algorithm of a signature or digest in a request. */
function formOf(body: UseBody) {
  const name = body.hash_algorithm || body.algorithm || 'sha2-256'
  const digest = digestNamed(name)
  if (digest === undefined) return invalid(`unsupported algorithm ${JSON.stringify(name)}`)
  const marshaling = body.marshaling_algorithm || 'asn1'
  if (marshaling !== 'asn1' && marshaling !== 'jws')
    return invalid(`invalid marshaling type ${JSON.stringify(marshaling)}`)
  if (body.prehashed)
    return refuse('transit_unsupported', 'prehashed input is not supported: send the data itself')
  return { digest, marshaling } as const
}

const hmacItem: Use = (crypto, key, item, body) => {
  const [data, form] = [bytesGiven(item.input, 'input'), formOf(body)]
  if (!data.ok) return data
  if (isRefused(form)) return form
  const made = hmac(crypto, key, data.value, { ...form, keyVersion: item.key_version ?? body.key_version })
  return made.ok ? found({ hmac: made.value.text }) : made
}
const signItem: Use = (crypto, key, item, body) => {
  const [data, form] = [bytesGiven(item.input, 'input'), formOf(body)]
  if (!data.ok) return data
  if (isRefused(form)) return form
  const made = sign(crypto, key, data.value, { ...form, keyVersion: item.key_version ?? body.key_version })
  return made.ok ? found({ signature: made.value.text, key_version: made.value.version }) : made
}
const verifyItem: Use = (crypto, key, item, body) => {
  const [data, form] = [bytesGiven(item.input, 'input'), formOf(body)]
  if (!data.ok) return data
  if (isRefused(form)) return form
  const { signature, hmac } = item
  if (signature && hmac) return invalid('provide one of "signature" or "hmac"')
  if (!signature && !hmac) return invalid('neither a "signature" nor an "hmac" was given to verify')
  const valid = verify(crypto, key, data.value, signature ? { signature } : { hmac: hmac ?? '' }, form)
  return valid.ok ? found({ valid: valid.value }) : valid
}

/** Applies a key to one item, or to each of a batch, of which some may fail. */
async function used({ core }: Sited, key: TransitKey | undefined, body: UseBody, use: Use) {
  if (key === undefined) return unknownKey()
  const work = (item: Item) => notSupported(item) ?? use(core.crypto, key, item, body)
  if (body.batch_input === undefined || body.batch_input === null) {
    const made = work(body)
    return made.ok ? found({ data: made.value, failed: false }) : made
  }
  if (body.batch_input.length === 0) return invalid('missing batch input to process')
  const results: Fields[] = []
  let failed = false
  for (const [place, item] of body.batch_input.entries()) {
    if (place % slice === slice - 1) await nextMacrotask()
    const made = work(item)
    failed ||= !made.ok
    results.push({
      ...(made.ok ? made.value : { error: made.refusal.message }),
      ...(item.reference ? { reference: item.reference } : {}),
    })
  }
  return found({ data: { batch_results: results }, failed })
}

const keyLengths = [128, 256, 512]

const useOf = (use: Use) =>
  routeOperation({
    refuses: useRefusals,
    run: async (at: Sited, name: string, body: UseBody) => used(at, await keyNow(at, name), body, use),
  })

/** The operations on the data of a request, one item or a batch. */
export const transitUseOperations = {
  decrypt: useOf(decryptItem),
  rewrap: useOf(rewrapItem),
  hmac: useOf(hmacItem),
  sign: useOf(signItem),
  verify: useOf(verifyItem),
}

/** Encrypts, with a new key if there is none and the caller may create it. */
export const encryptItems = routeOperation({
  refuses: [...useRefusals, 'transit_key_invalid', 'mount_gone'],
  run: async (context: SecretsContext, name: string, body: UseBody) => {
    if (context.operation !== 'create') return used(context, await keyNow(context, name), body, encryptItem)
    const made = await transitOperations.createKey.run(context, name, {
      type: body.type,
      derived: Boolean(body.context ?? body.batch_input?.[0]?.context),
    })
    return made.ok ? used(context, made.value, body, encryptItem) : made
  },
})

/** Generates a data key and encrypts it. */
export const drawDataKey = routeOperation({
  refuses: useRefusals,
  run: async (at: Sited, kind: string, name: string, body: UseBody) => {
    const { crypto } = at.core
    if (kind !== 'plaintext' && kind !== 'wrapped')
      return invalid('invalid path, must be "plaintext" or "wrapped"')
    const bits = body.bits ?? 256
    if (!keyLengths.includes(bits)) return invalid('invalid bit length')
    const key = await keyNow(at, name)
    if (key === undefined) return unknownKey()
    const problem = notSupported(body)
    if (problem) return problem
    const bound = boundTo(body)
    if (!bound.ok) return bound
    const drawn = crypto.randomBytes(bits / 8)
    const made = encrypt(crypto, key, drawn, { ...bound.value, keyVersion: body.key_version })
    if (!made.ok) return made
    const { text: ciphertext, version } = made.value
    const shown = kind === 'plaintext' ? { plaintext: toBase64(drawn) } : {}
    return found({ ...shown, ciphertext, key_version: version })
  },
})
