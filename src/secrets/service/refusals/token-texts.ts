import type { RefusalTexts } from '../../../http/refusal-codes.ts'
import type { statusOf } from '../request/status.ts'

const parentOrSudo = 'Use a token with more rights, or ask for fewer.'

/** Tokens, leases, wrapping and cubbyholes. */
export const tokenTexts = {
  token_not_allowed: ['The calling token may not create such a token.', parentOrSudo],
  token_invalid: ['A field of the new token is not valid.', 'Correct the field that the message names.'],
  token_missing: ['The token to act on is missing.', 'Send `token`.'],
  token_not_found: ['There is no such token, or it has expired.', 'Create a token, or log in again.'],
  token_duplicate: ['A token with this ID exists.', 'Leave `id` out, or choose another.'],
  token_role_unknown: ['There is no token role of this name.', 'List the roles, or create it.'],
  token_role_gone: ['The role of the token was deleted.', 'Create a new token.'],
  token_role_invalid: ['A field of the role is not valid.', 'Correct the field that the message names.'],
  token_settings_invalid: [
    'A `token_…` field of the auth method is not valid.',
    'Correct the field that the message names.',
  ],
  past_max_ttl: ['The token has reached its maximum TTL.', 'Log in again, or create a new token.'],
  policies_not_allowed: ['The calling token may not give these policies.', parentOrSudo],
  root_not_allowed: ['Only a root token creates root tokens.', 'Generate a root token with key shares.'],
  policy_internal: ['The policy is for internal tokens only.', 'Leave it out.'],
  not_renewable: ['The token cannot be renewed.', 'Create a new token.'],
  not_revocable: ['Batch tokens cannot be revoked.', 'Revoke the parent, or wait until it expires.'],
  bad_token: ['The token is unknown, revoked or expired.', 'Use a valid token.'],
  bad_accessor: ['No token has this accessor.', 'List the accessors.'],
  accessor_missing: ['The accessor is missing.', 'Send `accessor`.'],
  sudo_needed: ['The endpoint needs root or sudo.', 'Use a token with the sudo capability on the path.'],
  lease_missing: ['The lease ID is missing.', 'Send `lease_id`.'],
  lease_unknown: ['There is no such lease, or it has expired.', 'List the leases, or log in again.'],
  lease_of_token: ['The lease is that of a token.', 'Renew the token at `auth/token/renew`.'],
  wrapping_token_bad: [
    'The wrapping token is wrong, used or expired.',
    'Ask for the response to be wrapped again.',
  ],
  wrapping_token_missing: ['The wrapping token is missing.', 'Send `token`.'],
  wrap_ttl_missing: ['The TTL of the wrapping token is missing.', 'Send the wrap-TTL header.'],
  wrap_ttl_invalid: ['The TTL of the wrapping token is not a duration.', 'Write it as in 60s.'],
  cubbyhole_batch: ['Batch tokens have no cubbyhole.', 'Use a service token.'],
} as const satisfies { readonly [Code in keyof typeof statusOf]?: RefusalTexts }
