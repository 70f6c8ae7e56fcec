import * as z from 'zod'
import type { CryptoPort } from '../../../crypto/index.ts'
import type { Answer } from '../../../kernel/index.ts'
import { isBytes } from '../../../kernel/objects.ts'
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
  encrypt: operation({
    takes: [name, bytes('plaintext'), use],
    refuses: useRefusals,
    run: (at: Sited, name: string, plaintext: Uint8Array, input?: UseInput) =>
      withKey(at, name, (crypto, key) => textOf(encrypt(crypto, key, plaintext, input))),
  }),
  decrypt: operation({
    takes: [name, text('ciphertext'), use],
    refuses: useRefusals,
    run: (at: Sited, name: string, ciphertext: string, input?: UseInput) =>
      withKey(at, name, (crypto, key) => decrypt(crypto, key, ciphertext, input)),
  }),
  rewrap: operation({
    takes: [name, text('ciphertext'), use],
    refuses: useRefusals,
    run: (at: Sited, name: string, ciphertext: string, input?: UseInput) =>
      withKey(at, name, (crypto, key) => textOf(rewrap(crypto, key, ciphertext, input))),
  }),
  sign: operation({
    takes: [name, bytes('data')],
    refuses: useRefusals,
    run: (at: Sited, name: string, data: Uint8Array) =>
      withKey(at, name, (crypto, key) => textOf(sign(crypto, key, data))),
  }),
  verify: operation({
    takes: [name, bytes('data'), text('signature')],
    refuses: useRefusals,
    run: (at: Sited, name: string, data: Uint8Array, signature: string) =>
      withKey(at, name, (crypto, key) => verify(crypto, key, data, { signature })),
  }),
  hmac: operation({
    takes: [name, bytes('data')],
    refuses: useRefusals,
    run: (at: Sited, name: string, data: Uint8Array) =>
      withKey(at, name, (crypto, key) => textOf(hmac(crypto, key, data))),
  }),
}
