import { type RefusalCode, refusalCodesOf, type TextsFor } from '../http/refusal-codes.ts'
import { statusOf } from './routes/statuses.ts'

const texts: TextsFor<typeof statusOf> = {
  unauthenticated: ['The request carries no token.', 'Sign in, and send the token as Authorization: Bearer.'],
  provider_unavailable: [
    'The identity provider of a trust rule does not answer as it should.',
    'Retry later.',
  ],
  bad_token: ['The token is unknown, revoked or expired.', 'Sign in again for a new token.'],
  bad_credentials: ['The user name or the password is wrong.', 'Check both and try again.'],
  bad_code: ['The two-factor code is wrong, was used before, or has expired.', 'Send a new code.'],
  delinquent: ['The owner of the box is delinquent on billing.', 'Settle the bill of the account.'],
  forbidden: [
    'The caller may not do this to boxes or accounts of this owner.',
    'Use a token of the owner, of a member with a sufficient role, or of an administrator.',
  ],
  not_found: [
    'There is no such box, version or account, or the caller may not see it.',
    'Check the name, and send a token if the box is private.',
  ],
  provider_unknown: [
    'The version has no provider of this name and architecture.',
    'Create the provider first, or name one that the version has.',
  ],
  upload_expired: ['The upload address is used, replaced or expired.', 'Ask for a new upload address.'],
  two_factor_required: [
    'The account needs a two-factor code to sign in.',
    'Send `two_factor.code` with the user name and password.',
  ],
  image_changed: [
    'The image does not match the condition of the request.',
    'Download it again without the condition.',
  ],
  blob_too_large: ['The image is larger than the catalog accepts.', 'Shrink the image, or raise the limit.'],
  range_outside: ['The requested range is outside of the image.', 'Ask for a range within its size.'],
  invalid_name: [
    'The box name is empty, too long or has characters that are not allowed.',
    'Use letters, digits, hyphens, underscores and periods.',
  ],
  invalid_version_number: [
    'The version is not a version number.',
    'Write it as numbers with periods, as in 1.2.3.',
  ],
  invalid_provider_name: ['The provider name is not valid.', 'Use a name such as virtualbox or libvirt.'],
  invalid_architecture: ['The architecture is not one of the known ones.', 'Use one that the message lists.'],
  invalid_url: ['The URL is not an absolute http or https URL.', 'Correct the URL.'],
  invalid_checksum: [
    'The checksum does not fit its type, or one of the two is missing.',
    'Send both, as lower-case hexadecimal text.',
  ],
  invalid_page: ['A page parameter is not a whole number.', 'Send `page` from 1 and `limit` from 1 to 100.'],
  invalid_filter: [
    'The filter of the audit trail is not a valid expression.',
    'Correct it at the place that the message shows.',
  ],
  invalid_token: ['The limits or the TTL of a new token are not valid.', 'Correct what the message names.'],
  invalid_search: ['`sort` or `order` has an unknown value.', 'Use one that the message lists.'],
  text_too_long: ['A description or another text is too long.', 'Shorten the text that the message names.'],
  quota_exceeded: [
    'The owner has as many boxes, versions or bytes as its quota allows.',
    'Delete what is no longer needed, or raise the quota.',
  ],
  invalid_webhook: [
    'The address or an event of the webhook is not allowed.',
    'Correct what the message names.',
  ],
  webhook_not_found: ['There is no such webhook.', 'List the webhooks.'],
  webhooks_not_sent: ['The server sends no webhooks.', 'Pass the option `webhooks`.'],
  invalid_quota: [
    'Nothing says how many versions to keep.',
    'Send `keep_versions`, or set it in the quota of the owner.',
  ],
  version_too_large: ['The version has too many providers.', 'Delete a provider, or create another version.'],
  box_too_large: ['The box has too many versions.', 'Delete versions that are no longer used.'],
  box_taken: ['The owner has a box of this name.', 'Choose another name, or change that box.'],
  version_taken: ['The box has this version.', 'Choose another number, or change that version.'],
  provider_taken: ['The version has this provider for this architecture.', 'Change that provider instead.'],
  version_already_released: ['The version is released.', 'Nothing is left to do.'],
  version_not_released: [
    'Only a released version can be revoked.',
    'Delete the version, or release it first.',
  ],
  version_revoked: ['The version is revoked, which is final.', 'Create a new version.'],
  version_unusable: [
    'The version has no provider with an image.',
    'Upload an image, or give a provider a URL.',
  ],
  upload_empty: ['The upload has no bytes.', 'Send the image as the body.'],
  upload_interrupted: ['The upload ended before its end.', 'Send the image again to a new upload address.'],
  upload_partial: ['The upload covers a part of the image only.', 'Send the whole image in one request.'],
  upload_not_stored: [
    'The upload was completed before any bytes arrived.',
    'Send the image to the upload address first.',
  ],
  upload_finalized: ['The upload is completed.', 'Ask for a new upload address to replace the image.'],
  upload_ended: [
    'The version was released after the upload was requested, and the upload would replace an image.',
    'Ask for a new upload address to replace the image.',
  ],
  account_taken: ['The user name is taken.', 'Choose another user name.'],
  account_owns_boxes: ['The account still owns boxes.', 'Delete its boxes first.'],
  email_taken: ['Another user has this e-mail address.', 'Choose another e-mail address.'],
  member_unknown: [
    'A member of the organization is not a user.',
    'Create the user first, or correct the name.',
  ],
  invalid_username: [
    'The user name is empty, reserved, too long or has characters that are not allowed.',
    'Use letters, digits, hyphens, underscores and periods.',
  ],
  invalid_email: ['The e-mail address is not valid.', 'Write it as name@host.'],
  invalid_totp_secret: [
    'The authenticator secret is not base32 text.',
    'Send the secret that the authenticator app shows.',
  ],
  password_too_short: ['The password is too short.', 'Use a longer password.'],
  two_factor_not_begun: [
    'No authenticator waits for its first code, or it waited too long.',
    'Request the secret for a new authenticator first.',
  ],
  password_too_long: ['The password is too long.', 'Use a shorter password.'],
  too_many_passwords: [
    'Too many wrong passwords were tried for this account.',
    'Wait as long as the Retry-After header says.',
  ],
  checksum_mismatch: [
    'The image does not have the checksum that the provider declares.',
    'Correct the checksum, or upload the right image.',
  ],
  two_factor_disabled: ['The account has no two-factor authentication.', 'Sign in without a code.'],
  unsupported_delivery: ['Codes cannot be delivered in this way.', 'Use the authenticator app.'],
  rate_limited: ['The caller sent too many requests.', 'Wait as long as the Retry-After header says.'],
  too_many_codes: [
    'Too many two-factor codes were tried or requested.',
    'Wait as long as the Retry-After header says.',
  ],
  busy: ['Too many logins are in progress.', 'Retry after the seconds in the Retry-After header.'],
  contended: [
    'Too many writers change the same record.',
    'Retry after the seconds in the Retry-After header.',
  ],
  turned_away: [
    'The catalog accepts no requests at the moment.',
    'Retry after the seconds in the Retry-After header.',
  ],
  bad_record: ['A record to load is not valid.', 'Correct the record at the path in `detail.path`.'],
  not_empty: ['The catalog holds data already.', 'Load records into an empty store.'],
}

/**
 * Every refusal of the catalog, sorted by code, with its HTTP status, its meaning and a remedy.
 *
 * @example
 * ```ts
 * import { refusalCodes } from 'plinth/catalog'
 *
 * refusalCodes.find(({ code }) => code === 'box_taken')?.status // 422
 * ```
 */
export const refusalCodes: readonly RefusalCode[] = /* @__PURE__ */ refusalCodesOf(statusOf, texts)
