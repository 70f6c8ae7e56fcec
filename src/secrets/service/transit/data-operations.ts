import * as z from 'zod'
import type { CryptoPort } from '../../../crypto/index.ts'
import type { Answer } from '../../../kernel/index.ts'
import { isBytes } from '../../../kernel/is-bytes.ts'
import { argument, expected, optionalArgument } from '../../../operation/arguments.ts'
import { fields } from '../../../operation/known-fields.ts'
import { operation } from '../../../operation/operation.ts'
import type { TransitKey } from '../../transit/model.ts'
import { found } from '../core/answer.ts'
import { named, text } from '../core/arguments.ts'
import type { Sited } from '../core/context.ts'
import { keyNow, unknownKey, useRefusals } from './find-key.ts'
import {
  type Asked,
  type Bound,
  decrypt,
  encrypt,
  hmac,
  rewrap,
  sign,
  type TransitMade,
  type TransitUseRefusal,
  verify,
} from './using-keys.ts'

type UseInput = Asked & Bound

const name = named('name')
/** Checked by hand, because they come with every call. */
const bytes = (called: string) =>
  argument<Uint8Array>(called, (given) => (isBytes(given) ? undefined : expected('Uint8Array', given)))
const someBytes = z.custom<Uint8Array>(isBytes, 'expected Uint8Array')
const use = optionalArgument(
  argument<UseInput>(
    'input',
    fields(
      z
        .object({
          keyVersion: z.int(),
          associatedData: someBytes,
          context: someBytes,
        })
        .partial().shape,
    ),
  ),
)

/** Finds the key and uses it. */
async function withKey<Value>(
  at: Sited,
  name: string,
  use: (crypto: CryptoPort, key: TransitKey) => Answer<Value, TransitUseRefusal>,
) {
  const key = await keyNow(at, name)
  return key === undefined ? unknownKey() : use(at.core.crypto, key)
}

const textOf = (made: Answer<TransitMade, TransitUseRefusal>) => (made.ok ? found(made.value.text) : made)

/** The operations on data, with the keys of a transit engine. */
export const transitDataOperations = {
  /**
   * Encrypts some bytes. The ciphertext contains the version of the key.
   *
   * @example
   * ```ts
   * import { unwrap } from 'plinth'
   * import { devSecrets } from 'plinth/secrets'
   *
   * const { service } = await devSecrets()
   * await service.mounts.enable({ path: 'transit/', type: 'transit' })
   * await service.transit().createKey('orders')
   * const card = new TextEncoder().encode('4111 1111 1111 1111')
   * const ciphertext = unwrap(await service.transit().encrypt('orders', card))
   * ciphertext.startsWith('vault:v1:') // true
   * const plain = unwrap(await service.transit().decrypt('orders', ciphertext))
   * new TextDecoder().decode(plain) // '4111 1111 1111 1111'
   * await service.close()
   * ```
   */
  encrypt: operation({
    takes: [name, bytes('plaintext'), use],
    refuses: useRefusals,
    run: (at: Sited, name: string, plaintext: Uint8Array, input?: UseInput) =>
      withKey(at, name, (crypto, key) => textOf(encrypt(crypto, key, plaintext, input))),
  }),
  /**
   * Decrypts the result of {@link transitDataOperations.encrypt}.
   *
   * @example await secrets.transit().decrypt('app', ciphertext)
   */
  decrypt: operation({
    takes: [name, text('ciphertext'), use],
    refuses: useRefusals,
    run: (at: Sited, name: string, ciphertext: string, input?: UseInput) =>
      withKey(at, name, (crypto, key) => decrypt(crypto, key, ciphertext, input)),
  }),
  /**
   * Re-encrypts with the latest version, without revealing the plaintext.
   *
   * @example await secrets.transit().rewrap('app', ciphertext)
   */
  rewrap: operation({
    takes: [name, text('ciphertext'), use],
    refuses: useRefusals,
    run: (at: Sited, name: string, ciphertext: string, input?: UseInput) =>
      withKey(at, name, (crypto, key) => textOf(rewrap(crypto, key, ciphertext, input))),
  }),
  /**
   * Signs bytes; with SHA-256 for an ECDSA key.
   *
   * @example await secrets.transit().sign('signer', new TextEncoder().encode('text'))
   */
  sign: operation({
    takes: [name, bytes('data')],
    refuses: useRefusals,
    run: (at: Sited, name: string, data: Uint8Array) =>
      withKey(at, name, (crypto, key) => textOf(sign(crypto, key, data))),
  }),
  /**
   * Whether a signature is of these bytes.
   *
   * @example await secrets.transit().verify('signer', new TextEncoder().encode('text'), signature)
   */
  verify: operation({
    takes: [name, bytes('data'), text('signature')],
    refuses: useRefusals,
    run: (at: Sited, name: string, data: Uint8Array, signature: string) =>
      withKey(at, name, (crypto, key) => verify(crypto, key, data, { signature })),
  }),
  /**
   * A keyed digest of some bytes, with SHA-256.
   *
   * @example await secrets.transit().hmac('app', new TextEncoder().encode('text'))
   */
  hmac: operation({
    takes: [name, bytes('data')],
    refuses: useRefusals,
    run: (at: Sited, name: string, data: Uint8Array) =>
      withKey(at, name, (crypto, key) => textOf(hmac(crypto, key, data))),
  }),
}
