import { type CryptoPort, toBase64 } from '../../../crypto/index.ts'
import { route } from '../../../http/index.ts'
import { type Answer, refuse } from '../../../kernel/index.ts'
import { nextMacrotask } from '../../../kernel/next-macrotask.ts'
import type { TransitKey } from '../../transit/model.ts'
import { answerWith, type SecretsContext } from '../core/context.ts'
import { isRefused } from '../core/core.ts'
import { digestNamed, toolsAt } from '../tools/routes.ts'
import { transitKeyRoutes } from './key-routes.ts'
import { keyNow, transitOperations, unknownKey, useRefusals } from './operations.ts'
import { decrypt, encrypt, hmac, rewrap, sign, type TransitUseRefusal, verify } from './using-keys.ts'
import { bytesGiven, type Item, UseBody, UseReply } from './wire.ts'

const at = route<SecretsContext>()

/** How many items of a batch are processed before other requests continue. */
const slice = 64

type Fields = Readonly<Record<string, unknown>>
type Use = (
  crypto: CryptoPort,
  key: TransitKey,
  item: Item,
  body: UseBody,
) => Answer<Fields, TransitUseRefusal>
const encryptRefusals = [...useRefusals, 'transit_key_invalid', 'mount_gone'] as const

const invalid = (message: string) => refuse('transit_input_invalid', message)

/** Unsupported fields, which are refused because their request would not be honoured. */
const notSupported = ({ context, nonce }: Item) =>
  context || nonce
    ? refuse(
        'transit_unsupported',
        'derived and convergent keys are not supported: leave context and nonce out',
      )
    : undefined

const boundTo = ({
  associated_data: given,
}: Item): Answer<Uint8Array | undefined, 'transit_input_invalid'> =>
  given === undefined || given === '' ? { ok: true, value: undefined } : bytesGiven(given, 'associated_data')

const encryptItem: Use = (crypto, key, item) => {
  const [plain, bound] = [bytesGiven(item.plaintext, 'plaintext to encrypt'), boundTo(item)]
  if (!plain.ok) return plain
  if (!bound.ok) return bound
  const made = encrypt(crypto, key, plain.value, {
    keyVersion: item.key_version,
    associatedData: bound.value,
  })
  return made.ok ? given({ ciphertext: made.value.text, key_version: made.value.version }) : made
}
const decryptItem: Use = (crypto, key, item) => {
  const bound = boundTo(item)
  if (!bound.ok) return bound
  if (!item.ciphertext) return invalid('missing ciphertext to decrypt')
  const plain = decrypt(crypto, key, item.ciphertext, { associatedData: bound.value })
  return plain.ok ? given({ plaintext: toBase64(plain.value) }) : plain
}
const rewrapItem: Use = (crypto, key, item) => {
  const bound = boundTo(item)
  if (!bound.ok) return bound
  if (!item.ciphertext) return invalid('missing ciphertext to decrypt')
  const made = rewrap(crypto, key, item.ciphertext, {
    keyVersion: item.key_version,
    associatedData: bound.value,
  })
  return made.ok ? given({ ciphertext: made.value.text, key_version: made.value.version }) : made
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
  return made.ok ? given({ hmac: made.value.text }) : made
}
const signItem: Use = (crypto, key, item, body) => {
  const [data, form] = [bytesGiven(item.input, 'input'), formOf(body)]
  if (!data.ok) return data
  if (isRefused(form)) return form
  const made = sign(crypto, key, data.value, { ...form, keyVersion: item.key_version ?? body.key_version })
  return made.ok ? given({ signature: made.value.text, key_version: made.value.version }) : made
}
const verifyItem: Use = (crypto, key, item, body) => {
  const [data, form] = [bytesGiven(item.input, 'input'), formOf(body)]
  if (!data.ok) return data
  if (isRefused(form)) return form
  const { signature, hmac } = item
  if (signature && hmac) return invalid('provide one of "signature" or "hmac"')
  if (!signature && !hmac) return invalid('neither a "signature" nor an "hmac" was given to verify')
  const valid = verify(crypto, key, data.value, signature ? { signature } : { hmac: hmac ?? '' }, form)
  return valid.ok ? given({ valid: valid.value }) : valid
}

const given = (value: Fields): Answer<Fields, never> => ({ ok: true, value })

/** Applies a key to one item, or to each of a batch. */
async function answered(context: SecretsContext, key: TransitKey | undefined, body: UseBody, use: Use) {
  if (key === undefined) return unknownKey()
  const work = (item: Item) => notSupported(item) ?? use(context.core.crypto, key, item, body)
  if (body.batch_input === undefined || body.batch_input === null) {
    const made = work(body)
    return made.ok ? answerWith(context, { data: made.value }) : made
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
  return answerWith(context, { data: { batch_results: results } }, failed ? 400 : 200)
}

const uses = {
  encrypt: encryptItem,
  decrypt: decryptItem,
  rewrap: rewrapItem,
  hmac: hmacItem,
  sign: signItem,
  verify: verifyItem,
} as const satisfies Readonly<Record<string, Use>>
const summaries = {
  encrypt: 'Encrypt; creates a missing key if the caller has `create`',
  decrypt: 'Decrypt',
  rewrap: 'Re-encrypt with the latest version of the key',
  hmac: 'Create an HMAC',
  sign: 'Sign',
  verify: 'Verify a signature or an HMAC of data',
} as const satisfies Readonly<Record<keyof typeof uses, string>>
const named = Object.keys(uses) as readonly (keyof typeof uses)[]

/** The routes that accept their algorithm in the path as well. */
const algorithmic = ['hmac', 'sign', 'verify'] as const

const keyLengths = [128, 256, 512]

/** The routes of a transit engine, relative to its mount. */
export const transitRoutes = [
  ...transitKeyRoutes,
  ...named.map((use) =>
    at({
      id: `transit.${use}`,
      method: 'POST',
      path: `/${use}/:name`,
      summary: summaries[use],
      access: use === 'encrypt' ? 'create or update' : 'update',
      body: UseBody,
      refusals: use === 'encrypt' ? encryptRefusals : useRefusals,
      reply: UseReply,
      handle: async ({ context, params, body }) => {
        const name = params['name'] ?? ''
        if (use === 'encrypt' && context.operation === 'create') {
          const made = await transitOperations.createKey.run(context, name, { type: body.type })
          return made.ok ? answered(context, made.value, body, encryptItem) : made
        }
        return answered(context, await keyNow(context, name), body, uses[use])
      },
    }),
  ),
  ...algorithmic.map((use) =>
    at({
      id: `transit.${use}-with`,
      method: 'POST',
      path: `/${use}/:name/:algorithm`,
      summary: `${summaries[use]}, by an algorithm`,
      access: 'update',
      body: UseBody,
      refusals: useRefusals,
      reply: UseReply,
      handle: async ({ context, params, body }) => {
        const key = await keyNow(context, params['name'] ?? '')
        return answered(context, key, { ...body, hash_algorithm: params['algorithm'] }, uses[use])
      },
    }),
  ),
  at({
    id: 'transit.data-key',
    method: 'POST',
    path: '/datakey/:kind/:name',
    summary:
      'Generate a data key and encrypt it; "plaintext" also returns it in the clear, "wrapped" does not',
    access: 'update',
    body: UseBody,
    refusals: useRefusals,
    reply: UseReply,
    handle: async ({ context, params, body }) => {
      const { crypto } = context.core
      if (params.kind !== 'plaintext' && params.kind !== 'wrapped')
        return invalid('invalid path, must be "plaintext" or "wrapped"')
      const bits = body.bits ?? 256
      if (!keyLengths.includes(bits)) return invalid('invalid bit length')
      const key = await keyNow(context, params.name)
      if (key === undefined) return unknownKey()
      const problem = notSupported(body)
      if (problem) return problem
      const drawn = crypto.randomBytes(bits / 8)
      const made = encrypt(crypto, key, drawn, { keyVersion: body.key_version })
      if (!made.ok) return made
      const { text: ciphertext, version } = made.value
      const shown = params.kind === 'plaintext' ? { plaintext: toBase64(drawn) } : {}
      return answerWith(context, { data: { ...shown, ciphertext, key_version: version } })
    },
  }),
  ...toolsAt('', 'transit'),
]
