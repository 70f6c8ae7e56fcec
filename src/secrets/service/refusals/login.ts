import type { RefusalRow } from '../../../http/refusal-codes.ts'

const correctField = 'Correct the field that the message names.'

/** Auth methods and identities. */
export const loginRefusals = {
  idp_org_missing: [400, 'The method has no organisation.', 'Send `org_name`.'],
  idp_base_url_invalid: [
    400,
    'The base URL of the provider is not valid.',
    'Send a host name or an https URL.',
  ],
  idp_config_invalid: [400, 'A field of the configuration is not valid.', correctField],
  idp_name_invalid: [400, 'The name of a user or group is not valid.', 'Correct the name.'],
  idp_password_missing: [400, 'The password is empty.', 'Send `password`.'],
  idp_not_configured: [400, 'The method is not configured.', 'Write its `config` first.'],
  idp_provider_unknown: [
    400,
    'The provider of the second factor is unknown.',
    'Use one that the message lists.',
  ],
  idp_refused: [400, 'The provider refused the login.', 'Check the user name and the password.'],
  idp_enrollment: [400, 'The user has to enrol a second factor.', 'Enrol at the provider first.'],
  idp_factor_missing: [
    400,
    'The user has no second factor of this kind.',
    'Choose a factor that the user has.',
  ],
  idp_passcode_missing: [400, 'The second factor needs a passcode.', 'Send `totp`.'],
  idp_nonce_missing: [400, 'A push with a number needs a fresh nonce.', 'Send a new `nonce`.'],
  idp_factor_denied: [400, 'The user denied the login.', 'Try again.'],
  idp_factor_timeout: [400, 'The user did not confirm in time.', 'Try again.'],
  idp_unavailable: [502, 'The provider cannot be reached.', 'Retry later.'],
  idp_policies_changed: [
    400,
    'The policies of the user changed, so the token is not renewed.',
    'Sign in again.',
  ],
  login_root: [400, 'An auth method cannot give the root policy.', 'Remove it from the user, role or group.'],
  login_policies_changed: [400, 'The policies of the user or role changed.', 'Sign in again.'],
  login_user_gone: [400, 'The user or role of the token was deleted.', 'Sign in as another.'],
  userpass_name_invalid: [400, 'The user name is not valid.', 'Use the characters that the message names.'],
  userpass_password_missing: [400, 'The password is missing.', 'Send `password`.'],
  userpass_password_invalid: [400, 'The password is too long, or its hash is not valid.', correctField],
  userpass_user_unknown: [400, 'There is no user of this name.', 'List the users, or create it.'],
  userpass_refused: [
    400,
    'The user name or password is wrong, or the user is locked out.',
    'Check both; wait before you try again.',
  ],
  userpass_busy: [
    503,
    'Too many logins are in progress.',
    'Retry after the seconds in the Retry-After header.',
  ],
  approle_role_invalid: [400, 'A field of the role is not valid.', correctField],
  approle_role_unknown: [400, 'There is no role of this name.', 'List the roles, or create it.'],
  approle_role_id_missing: [400, 'The role ID is missing.', 'Send `role_id`.'],
  approle_secret_id_unused: [
    400,
    'The role binds no secret IDs.',
    'Set `bind_secret_id`, or sign in without one.',
  ],
  approle_secret_id_invalid: [400, 'A field of the secret ID is not valid.', correctField],
  approle_secret_id_taken: [400, 'The secret ID exists.', 'Choose another.'],
  approle_secret_id_missing: [
    400,
    'The secret ID or its accessor is missing.',
    'Send the field that the message names.',
  ],
  approle_accessor_unknown: [404, 'No secret ID has this accessor.', 'List the accessors of the role.'],
  approle_refused: [
    400,
    'The role ID or the secret ID is wrong, used up or expired.',
    'Generate a new secret ID.',
  ],
  approle_address_refused: [
    403,
    'The role may not sign in from this address.',
    'Sign in from an address within its CIDR blocks.',
  ],
  jwt_config_invalid: [
    400,
    'A field of the configuration is not valid, or the provider does not answer.',
    'Correct the field that the message names.',
  ],
  jwt_not_configured: [
    400,
    'The method is not configured, or not for sign-ins with a browser.',
    'Write its `config` first.',
  ],
  jwt_role_invalid: [400, 'A field of the role is not valid.', correctField],
  jwt_role_unknown: [400, 'There is no role of this name.', 'List the roles, or create it.'],
  jwt_role_type_refused: [
    400,
    'The role is for the other kind of login: with a token, or with a browser.',
    'Use another role, or change its `role_type`.',
  ],
  jwt_login_incomplete: [
    400,
    'The login has no role, token or redirect.',
    'Send the field that the message names.',
  ],
  jwt_refused: [
    400,
    'The token, or the answer of the sign-in, is not accepted.',
    'Compare its claims with the role, as the message says.',
  ],
  jwt_provider_unavailable: [502, 'The identity provider does not answer as it should.', 'Retry later.'],
  identity_invalid: [400, 'A field of the entity, alias or group is not valid.', correctField],
  id_token_invalid: [
    400,
    'A field of the key, the role or the issuer of ID tokens is not valid, or the key is in use.',
    'Correct what the message names.',
  ],
  id_token_refused: [
    400,
    'The caller gets no ID token: its token has no entity, or the role or its key does not allow it.',
    "Log in by an auth method, and add the role's client ID to the `allowed_client_ids` of its key.",
  ],
} as const satisfies Readonly<Record<string, RefusalRow>>
