import type * as z from 'zod'
import { type Refused, refuse } from '../../../kernel/index.ts'
import { body, textField } from '../core/fields.ts'
import type { ShareInput } from './keys.ts'

/** One key share, given to an attempt. */
export const ShareBody = body({ key: textField, nonce: textField })

/** The share in a body and its attempt, as the argument of an operation; a missing one is refused. */
export const shareOf = ({
  key,
  nonce,
}: z.output<typeof ShareBody>): readonly [input: ShareInput] | Refused<'unseal_key_missing'> =>
  key
    ? [{ share: key, nonce: nonce ?? '' }]
    : refuse('unseal_key_missing', "'key' must be specified in request body as JSON")
