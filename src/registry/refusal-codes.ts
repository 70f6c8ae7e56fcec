import { type RefusalCode, refusalCodesOf, type TextsFor } from '../http/refusal-codes.ts'
import { statusOf } from './statuses.ts'

const texts: TextsFor<typeof statusOf> = {
  module_not_found: [
    'The registry has no such module, or the reader may not see it.',
    'Check the namespace, name and provider, and publish a version first.',
  ],
  version_not_found: ['The module has no such version.', 'List the versions of the module.'],
  module_moved: ['The module has a new address.', 'Follow the Location header, or read `detail.to`.'],
  invalid_filter: [
    'The filter of the audit trail is not a valid expression.',
    'Correct it at the place that the message shows.',
  ],
  invalid_page: [
    '`limit` or `after` of the audit trail is not valid.',
    'Correct the value that the message names.',
  ],
  query_required: ['A search needs words to search for.', 'Add the query parameter `q`.'],
  namespace_forbidden: [
    'The token may not publish into this namespace.',
    'Use a token whose namespaces include it.',
  ],
  invalid_module_name: [
    'A part of the module address is not a valid name.',
    'Use letters, digits, hyphens and underscores, as the message says.',
  ],
  text_too_long: ['A text of the module is too long.', 'Shorten the field that the message names.'],
  module_name_taken: [
    'Another module has this address, perhaps in other capitals.',
    'Choose another name, or delete the other module.',
  ],
  invalid_version: ['The version is not a semantic version.', 'Write it as MAJOR.MINOR.PATCH.'],
  version_exists: ['The version was published before.', 'Publish under a new version number.'],
  version_too_large: ['The inputs, outputs and submodules of the version are too many.', 'Split the module.'],
  module_too_large: ['The module has too many versions.', 'Delete versions that are no longer used.'],
  quota_exceeded: [
    'The namespace has as many modules, versions or bytes as its quota allows.',
    'Delete what is no longer needed, or raise the quota.',
  ],
  invalid_webhook: [
    'The address or an event of the webhook is not allowed.',
    'Correct what the message names.',
  ],
  webhook_not_found: ['There is no such webhook.', 'List the webhooks.'],
  webhooks_not_sent: ['The server sends no webhooks.', 'Pass the option `webhooks`.'],
  pull_limited: [
    'Too many versions were copied from the other registry for callers without a token.',
    'Try again in an hour, or ask with a token of a private registry.',
  ],
  invalid_quota: [
    'Nothing says how many versions to keep.',
    'Send `keep_versions`, or set it in the quota of the namespace.',
  ],
  invalid_source: [
    'The source of the version is not an address that clients can download.',
    'Use an absolute https or git address, or publish an archive.',
  ],
  invalid_submodule: [
    'A submodule has a path that is not allowed.',
    'Use a relative path below the root of the module.',
  ],
  invalid_deprecation: ['The deprecation is not valid.', 'Correct the field that the message names.'],
  upload_interrupted: ['The upload ended before its end.', 'Send the archive again.'],
  archive_too_large: [
    'The archive is larger than the listener or the registry accepts.',
    'Leave out files that the module does not need, or raise the limit.',
  ],
  invalid_archive: [
    'The body is not an archive, or holds entries that are not safe to unpack.',
    'Pack the module as tar.gz or zip without absolute paths, links to the outside, or duplicates.',
  ],
  not_a_module: [
    'The archive holds no module: no `.tf` or `.tf.json` file at its root.',
    'Pack the folder that holds the configuration files.',
  ],
  publish_expired: ['The archive took too long to arrive.', 'Publish it again.'],
  archives_not_kept: [
    'The registry stores no archives.',
    'Create it with `blobs`, or publish the address of the archive instead.',
  ],
  upstream_failed: [
    'The registry from which the module would be copied is unreachable, or answers wrongly.',
    'Try again later; the log of the server says why.',
  ],
  archive_changed: [
    'The archive does not match the condition of the request.',
    'Download it again without the condition.',
  ],
  range_outside: ['The requested range is outside of the archive.', 'Ask for a range within its size.'],
  unauthorized: [
    'The request has no valid token.',
    'Send `Authorization: Bearer TOKEN` with a token of this registry.',
  ],
  turned_away: [
    'The registry accepts no requests at the moment.',
    'Retry after the seconds in the Retry-After header.',
  ],
  bad_record: ['A record to load is not valid.', 'Correct the record at the path in `detail.path`.'],
  not_empty: ['The registry holds data already.', 'Load records into an empty store.'],
  invalid_token: [
    'The name or a namespace of the new token is not valid.',
    'Correct the field that the message names.',
  ],
  token_not_found: ['The registry keeps no token with this id.', 'List the tokens: each has its id.'],
  administrator_required: [
    'The token is valid but is not an administrator of the registry.',
    'Use the token of an administrator to manage tokens.',
  ],
  sign_in_not_configured: ['The registry has no identity provider.', 'Use a token, or configure `oidc`.'],
  invalid_sign_in: [
    'The login has ended, was answered before, or does not fit its answer.',
    'Start the login again.',
  ],
  sign_in_forbidden: [
    'The person is in no group that may use the registry.',
    'Join one of its groups at the identity provider.',
  ],
  provider_unavailable: ['The identity provider does not answer as it should.', 'Retry later.'],
}

/**
 * Every refusal of the registry, sorted by code, with its HTTP status, its meaning and a remedy.
 *
 * @example
 * ```ts
 * import { refusalCodes } from 'plinth/registry'
 *
 * refusalCodes.find(({ code }) => code === 'version_exists')?.status // 409
 * ```
 */
export const refusalCodes: readonly RefusalCode[] = /* @__PURE__ */ refusalCodesOf(statusOf, texts)
