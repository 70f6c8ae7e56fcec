import type { RefusalTexts } from '../../../http/refusal-codes.ts'
import type { statusOf } from '../request/status.ts'

/** Requests as such, the seal, tools, audit and headers. */
export const systemTexts = {
  sealed: ['The service is sealed.', 'Unseal it with `threshold` key shares.'],
  permission_denied: [
    'The token is missing, unknown, expired or lacks the capability.',
    'Use a token whose policies allow the operation; `sys/internal/acl/explain` shows why.',
  ],
  unsupported_path: [
    'The mount has no endpoint at the path.',
    'Compare the path with the endpoint reference.',
  ],
  unsupported_operation: [
    'The path exists, but not with this operation.',
    'Use an operation that the endpoint reference lists.',
  ],
  unsupported_login_operation: ['Logging in needs another method.', 'Use POST or PUT.'],
  unknown_verb: ['The HTTP method is unknown.', 'Use GET, LIST, POST, PUT, PATCH or DELETE.'],
  relative_path: ['The path has "..", or is not valid percent-encoded UTF-8.', 'Encode each path segment.'],
  write_to_folder: ['The path to write to ends in a slash.', 'Name a record.'],
  list_not_boolean: ['`list` is neither true nor false.', 'Send `list=true`.'],
  trailing_period: [
    'The last path segment ends in a period.',
    'Use another name, or set `kvTrailingPeriod`.',
  ],
  ui_mount_hidden: ['The token sees no mount at the path.', 'Use a token with a right below the mount.'],
  origin_refused: ['The origin of the request is not allowed.', 'Add it to `sys/config/cors`.'],
  origin_method: ['The method is not allowed from other origins.', 'Use a method that CORS allows.'],
  cors_origins: ['The allowed origins are missing or not valid.', 'Send origins, or `*` alone.'],
  invalid_response_headers: [
    'A custom header has a wrong name or value.',
    'Correct the header that the message names.',
  ],
  audit_failed: [
    'No audit device could be written, so nothing was done.',
    'Repair the device that the server log names.',
  ],
  audit_unsupported: [
    'Audit devices cannot be changed over HTTP.',
    'Declare them in the configuration of the program.',
  ],
  audit_device_unknown: ['There is no audit device at the path.', 'List `sys/audit`.'],
  already_initialized: ['The service is initialised.', 'Unseal it with the shares of its initialisation.'],
  not_initialized: ['The service is not initialised.', 'Initialise it at `sys/init`.'],
  invalid_shares: [
    'The number of shares or the threshold is not valid.',
    'Use 1 to 255 shares, and a threshold of 2 or more of several.',
  ],
  invalid_root_token: ['The root token is not valid.', 'Use 1 to 512 visible ASCII characters.'],
  invalid_health_code: ['A status for the health check is not valid.', 'Use 200 to 599.'],
  unseal_key_missing: ['The key share is missing.', 'Send `key`, or `reset`.'],
  share_not_text: [
    'The key share is neither hexadecimal nor base64 text.',
    'Send the share as it was given.',
  ],
  share_length: ['The key share has a wrong length.', 'Send the whole share.'],
  wrong_shares: ['The shares do not open the barrier.', 'Start again with shares of this service.'],
  seal_changed: ['The shares changed during the attempt.', 'Start again with the new shares.'],
  rekey_under_way: ['A rekey is in progress.', 'Finish or cancel it first.'],
  root_generation_under_way: ['A root generation is in progress.', 'Finish or cancel it first.'],
  otp_length: ['The one-time password has a wrong length.', 'Leave it out: the service makes one.'],
  attempt_not_started: ['No attempt is in progress.', 'Start one first.'],
  attempt_nonce: ['The nonce is that of another attempt.', 'Read the nonce of the attempt in progress.'],
  share_again: ['The share was given in this attempt before.', 'Give another share.'],
  pgp_unsupported: ['Shares and tokens are not encrypted with PGP.', 'Leave the PGP keys out.'],
  rekey_unverified: ['The new shares wait for verification.', 'Give them at `sys/rekey/verify`.'],
  no_rekey_backup: ['There are no backed-up shares.', 'Nothing is left to do.'],
  tool_algorithm: ['The hash algorithm is unknown.', 'Use sha2-224 to sha2-512 or sha3-224 to sha3-512.'],
  tool_format: ['The output format is unknown.', 'Use hex or base64.'],
  tool_input: ['The input is empty or not base64.', 'Send `input` in base64.'],
  tool_bytes: [
    'The number of bytes is out of range.',
    'Use a number within the limits that the message names.',
  ],
  tool_source: ['The source of random bytes is unknown.', 'Use platform, seal or all.'],
} as const satisfies { readonly [Code in keyof typeof statusOf]?: RefusalTexts }
