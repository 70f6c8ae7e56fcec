import type { RefusalRow } from '../../../http/refusal-codes.ts'

/** Mounts, namespaces and policies. */
export const mountRefusals = {
  no_mount: [
    404,
    'Nothing is mounted at the path.',
    'Check the first segments of the path, and list `sys/mounts`.',
  ],
  mount_gone: [404, 'The mount was disabled, moved or upgraded.', 'List `sys/mounts`, and use its new path.'],
  mount_upgrading: [400, 'The mount is being upgraded to version 2.', 'Retry when the upgrade has ended.'],
  mount_type_missing: [400, 'The type of the mount is missing.', 'Send `type`, such as kv.'],
  mount_type_unknown: [400, 'There is no mount of this type.', 'Use one of the types in the documentation.'],
  mount_path_invalid: [
    400,
    'The path is not valid for a mount.',
    'Use segments without whitespace, "*" and "+".',
  ],
  mount_path_protected: [403, 'The path is reserved for the service.', 'Choose another path.'],
  mount_path_taken: [
    400,
    'Another mount or namespace is at, above or below the path.',
    'Choose another path.',
  ],
  mount_version_invalid: [400, 'The key/value version is neither 1 nor 2.', 'Send 1 or 2.'],
  mount_version_downgrade: [
    400,
    'A version 2 mount cannot become version 1.',
    'Enable another mount, and copy the secrets.',
  ],
  mount_not_found: [400, 'There is no mount at the path.', 'List `sys/mounts`.'],
  mount_fixed: [400, 'A built-in mount cannot be moved or disabled.', 'Leave it as it is.'],
  mount_role_change: [
    400,
    'Auth methods and secrets engines cannot change places.',
    'Move auth methods below `auth/`, and engines elsewhere.',
  ],
  mount_accessor_unknown: [
    400,
    'No auth method has this accessor.',
    'List `sys/auth`, and use the accessor it shows.',
  ],
  lease_ttl_order: [
    400,
    'The default TTL is greater than the maximum TTL.',
    'Lower the default, or raise the maximum.',
  ],
  remount_paths_missing: [400, '`from` or `to` is missing.', 'Send both.'],
  not_in_namespaces: [
    400,
    'The endpoint works in the root namespace only.',
    'Leave the namespace header out.',
  ],
  namespace_not_found: [
    404,
    'There is no such namespace.',
    'Check the namespace header, and list `sys/namespaces`.',
  ],
  namespace_name_invalid: [
    400,
    'The name is not valid for a namespace.',
    'Use one segment that is not reserved.',
  ],
  namespace_not_empty: [400, 'The namespace has child namespaces.', 'Delete them first.'],
  quota_invalid: [
    400,
    'The quota has an invalid field, or another is for the same requests.',
    'Correct what the message names.',
  ],
  policy_missing: [400, 'The name or the text of the policy is missing.', 'Send both.'],
  policy_fixed: [400, 'A built-in policy cannot be changed or deleted.', 'Write a policy of your own.'],
  invalid_policy: [400, 'The policy does not parse.', 'Correct it at the line in the message.'],
  paths_missing: [400, 'No paths are given, or too many.', 'Send `paths`.'],
  transit_key_unknown: [400, 'There is no transit key of this name.', 'List the keys, or create it.'],
  transit_key_invalid: [
    400,
    'The name or the type of the transit key is not valid, or it cannot be deleted.',
    'Correct it, or set `deletion_allowed` first.',
  ],
  transit_backup_refused: [
    500, // The status of the original, which clients expect.
    'The transit key must not be backed up, or restoring would replace a key.',
    'Set `exportable` and `allow_plaintext_backup`, or restore with `force`.',
  ],
  transit_unsupported: [400, 'The transit key cannot do this.', 'Use a key of another type.'],
  transit_version_invalid: [
    400,
    'The version of the transit key is not valid here.',
    'Read the key for its versions.',
  ],
  transit_input_invalid: [
    400,
    'The input, ciphertext or signature is not valid.',
    'Correct what the message names.',
  ],
  explain_invalid: [
    400,
    'The path or the operation is missing or unknown, or several subjects are named.',
    'Send `path`, `operation`, and one of `token`, `accessor` and `policies`.',
  ],
} as const satisfies Readonly<Record<string, RefusalRow>>
