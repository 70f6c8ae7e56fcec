import type { RefusalTexts } from '../../../http/refusal-codes.ts'
import type { statusOf } from '../request/status.ts'

const correctField = 'Correct the field that the message names.'

/** Auth methods and identities. */
export const loginTexts = {
  idp_org_missing: ['The method has no organisation.', 'Send `org_name`.'],
  idp_base_url_invalid: ['The base URL of the provider is not valid.', 'Send a host name or an https URL.'],
  idp_config_invalid: ['A field of the configuration is not valid.', correctField],
  idp_name_invalid: ['The name of a user or group is not valid.', 'Correct the name.'],
  idp_password_missing: ['The password is empty.', 'Send `password`.'],
  idp_not_configured: ['The method is not configured.', 'Write its `config` first.'],
  idp_provider_unknown: ['The provider of the second factor is unknown.', 'Use one that the message lists.'],
  idp_refused: ['The provider refused the login.', 'Check the user name and the password.'],
  idp_enrollment: ['The user has to enrol a second factor.', 'Enrol at the provider first.'],
  idp_factor_missing: ['The user has no second factor of this kind.', 'Choose a factor that the user has.'],
  idp_passcode_missing: ['The second factor needs a passcode.', 'Send `totp`.'],
  idp_nonce_missing: ['A push with a number needs a fresh nonce.', 'Send a new `nonce`.'],
  idp_factor_denied: ['The user denied the login.', 'Try again.'],
  idp_factor_timeout: ['The user did not confirm in time.', 'Try again.'],
  idp_unavailable: ['The provider cannot be reached.', 'Retry later.'],
  idp_policies_changed: ['The policies of the user changed, so the token is not renewed.', 'Log in again.'],
  login_root: ['An auth method cannot give the root policy.', 'Remove it from the user, role or group.'],
  login_policies_changed: ['The policies of the user or role changed.', 'Log in again.'],
  login_user_gone: ['The user or role of the token was deleted.', 'Log in as another.'],
  userpass_name_invalid: ['The user name is not valid.', 'Use the characters that the message names.'],
  userpass_password_missing: ['The password is missing.', 'Send `password`.'],
  userpass_password_invalid: ['The password is too long, or its hash is not valid.', correctField],
  userpass_user_unknown: ['There is no user of this name.', 'List the users, or create it.'],
  userpass_refused: [
    'The user name or password is wrong, or the user is locked out.',
    'Check both; wait before you try again.',
  ],
  userpass_busy: ['Too many logins are in progress.', 'Retry after the seconds in the Retry-After header.'],
  approle_role_invalid: ['A field of the role is not valid.', correctField],
  approle_role_unknown: ['There is no role of this name.', 'List the roles, or create it.'],
  approle_role_id_missing: ['The role ID is missing.', 'Send `role_id`.'],
  approle_secret_id_unused: ['The role binds no secret IDs.', 'Set `bind_secret_id`, or log in without one.'],
  approle_secret_id_invalid: ['A field of the secret ID is not valid.', correctField],
  approle_secret_id_taken: ['The secret ID exists.', 'Choose another.'],
  approle_secret_id_missing: [
    'The secret ID or its accessor is missing.',
    'Send the field that the message names.',
  ],
  approle_accessor_unknown: ['No secret ID has this accessor.', 'List the accessors of the role.'],
  approle_refused: [
    'The role ID or the secret ID is wrong, used up or expired.',
    'Generate a new secret ID.',
  ],
  approle_address_refused: [
    'The role may not log in from this address.',
    'Log in from an address within its CIDR blocks.',
  ],
  identity_invalid: ['A field of the entity, alias or group is not valid.', correctField],
} as const satisfies { readonly [Code in keyof typeof statusOf]?: RefusalTexts }
