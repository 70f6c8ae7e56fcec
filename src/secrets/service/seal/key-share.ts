import type * as z from 'zod'
import { type Refused, refuse } from '../../../kernel/index.ts'
import { body, textField } from '../core/fields.ts'

/** One key share, given to an attempt. */
export const ShareBody = body({ key: textField, nonce: textField })

/** The share in a body and its attempt, or the refusal of a missing one. */
export const shareOf = ({
  key,
  nonce,
}: z.output<typeof ShareBody>):
  | { readonly ok: true; readonly value: { readonly share: string; readonly nonce: string } }
  | Refused<'unseal_key_missing'> =>
  key
    ? { ok: true, value: { share: key, nonce: nonce ?? '' } }
    : refuse('unseal_key_missing', "'key' must be specified in request body as JSON")

/** The refusals of a key share. */
export const shareRefusals = [
  'unseal_key_missing',
  'attempt_not_started',
  'attempt_nonce',
  'share_again',
  'share_not_text',
  'share_length',
  'wrong_shares',
] as const
