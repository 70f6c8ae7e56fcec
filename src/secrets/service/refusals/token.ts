import type { RefusalRow } from '../../../http/refusal-codes.ts'

const parentOrSudo = 'Use a token with more rights, or ask for fewer.'

/** Tokens, leases, wrapping and cubbyholes. */
export const tokenRefusals = {
  token_not_allowed: [400, 'The calling token may not create such a token.', parentOrSudo],
  token_invalid: [400, 'A field of the new token is not valid.', 'Correct the field that the message names.'],
  token_missing: [400, 'The token to act on is missing.', 'Send `token`.'],
  token_not_found: [400, 'There is no such token, or it has expired.', 'Create a token, or sign in again.'],
  token_duplicate: [400, 'A token with this ID exists.', 'Leave `id` out, or choose another.'],
  token_role_unknown: [400, 'There is no token role of this name.', 'List the roles, or create it.'],
  token_role_gone: [400, 'The role of the token was deleted.', 'Create a new token.'],
  token_role_invalid: [400, 'A field of the role is not valid.', 'Correct the field that the message names.'],
  token_settings_invalid: [
    400,
    'A `token_…` field of the auth method is not valid.',
    'Correct the field that the message names.',
  ],
  past_max_ttl: [400, 'The token has reached its maximum TTL.', 'Sign in again, or create a new token.'],
  policies_not_allowed: [400, 'The calling token may not give these policies.', parentOrSudo],
  root_not_allowed: [400, 'Only a root token creates root tokens.', 'Generate a root token with key shares.'],
  policy_internal: [400, 'The policy is for internal tokens only.', 'Leave it out.'],
  not_renewable: [400, 'The token cannot be renewed.', 'Create a new token.'],
  not_revocable: [400, 'Batch tokens cannot be revoked.', 'Revoke the parent, or wait until it expires.'],
  bad_token: [403, 'The token is unknown, revoked or expired.', 'Use a valid token.'],
  unknown_token: [
    400,
    'The token that the request asks about does not exist.',
    'Check the token; it may have expired.',
  ],
  bad_accessor: [400, 'No token has this accessor.', 'List the accessors.'],
  accessor_missing: [400, 'The accessor is missing.', 'Send `accessor`.'],
  sudo_needed: [400, 'The endpoint needs root or sudo.', 'Use a token with the sudo capability on the path.'],
  lease_missing: [400, 'The lease ID is missing.', 'Send `lease_id`.'],
  lease_unknown: [400, 'There is no such lease, or it has expired.', 'List the leases, or sign in again.'],
  lease_of_token: [400, 'The lease is that of a token.', 'Renew the token at `auth/token/renew`.'],
  wrapping_token_bad: [
    400,
    'The wrapping token is wrong, used or expired.',
    'Ask for the response to be wrapped again.',
  ],
  wrapping_token_missing: [400, 'The wrapping token is missing.', 'Send `token`.'],
  wrap_ttl_missing: [400, 'The TTL of the wrapping token is missing.', 'Send the wrap-TTL header.'],
  wrap_ttl_invalid: [400, 'The TTL of the wrapping token is not a duration.', 'Write it as in 60s.'],
  cubbyhole_batch: [400, 'Batch tokens have no cubbyhole.', 'Use a service token.'],
} as const satisfies Readonly<Record<string, RefusalRow>>
