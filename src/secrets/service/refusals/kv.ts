import type { RefusalRow } from '../../../http/refusal-codes.ts'

/** Paths, key/value secrets and their metadata. */
export const kvRefusals = {
  path_missing: [400, 'The path of the secret is empty.', 'Name a secret below the mount.'],
  path_is_folder: [
    400,
    'The path ends in a slash, which names a folder.',
    'Name a secret, or list the folder.',
  ],
  path_segment: [400, 'The path has an empty segment, "." or "..".', 'Leave such segments out.'],
  path_too_long: [400, 'The path has more than 4,096 bytes.', 'Use a shorter path.'],
  secret_too_large: [413, 'The secret is larger than the mount accepts.', 'Store less, or split the secret.'],
  missing_fields: [400, 'The secret has no fields.', 'Send at least one field.'],
  no_data: [400, 'The body has no `data`.', 'Send the fields of the secret in `data`.'],
  data_not_a_map: [400, 'The secret is not a JSON object.', 'Send an object.'],
  data_too_deep: [400, 'The secret is nested too deep.', 'Use at most 500 levels.'],
  bad_version: [400, '`version` is not a whole number.', 'Send the number of a version.'],
  bad_depth: [400, '`depth` is not a whole number.', 'Send the number of levels to read.'],
  no_versions: [400, 'No version is named.', 'Name at least one version.'],
  cas_not_a_number: [400, '`cas` is not a whole number.', 'Send the current version, or 0 for a new secret.'],
  cas_required: [
    400,
    'The mount or the secret requires check-and-set.',
    'Send `cas` with the current version.',
  ],
  cas_mismatch: [
    400,
    'The secret changed since the caller read it.',
    'Read it again, and retry with `detail.current`.',
  ],
  negative_max_versions: [
    400,
    '`max_versions` is negative.',
    'Send 0 for the default, or a positive number.',
  ],
  invalid_custom_metadata: [
    400,
    'The custom metadata are not a map of short strings.',
    'Correct the keys that the message names.',
  ],
  metadata_cas_required: [
    400,
    'The mount requires check-and-set for metadata.',
    'Send `metadata_cas` with the current version.',
  ],
  metadata_cas_mismatch: [
    400,
    'The metadata changed since the caller read them.',
    'Read them again, and retry.',
  ],
  patch_media_type: [
    415,
    'A patch has another media type.',
    'Send `Content-Type: application/merge-patch+json`.',
  ],
  patch_media_type_missing: [
    400,
    'A patch has no media type.',
    'Send `Content-Type: application/merge-patch+json`.',
  ],
  secret_not_found: [404, 'There is no secret at the path.', 'Write it first, or check the path.'],
  version_gone: [404, 'The current version is deleted or destroyed.', 'Undelete it, or write a new version.'],
  no_such_mount: [
    404,
    'There is no key/value mount of this version at the path.',
    'Enable one, or name its path.',
  ],
  filter_invalid: [
    400,
    'The filter expression does not parse or names an unknown field.',
    'Correct the expression at the position in the message.',
  ],
  page_invalid: [
    400,
    '`after` or `limit` of a list is not valid.',
    'Send a key that was listed, and a positive limit.',
  ],
} as const satisfies Readonly<Record<string, RefusalRow>>
