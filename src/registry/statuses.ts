import type { RefusalsOfOperations } from '../operation/operation.ts'
import type { RegistryOperations } from './operations/index.ts'

/** The status of every refusal; some are returned by methods only. */
export const statusOf = {
  module_not_found: 404,
  version_not_found: 404,
  module_moved: 301,
  query_required: 400,
  invalid_filter: 422,
  invalid_page: 422,
  namespace_forbidden: 403,
  invalid_module_name: 422,
  text_too_long: 422,
  module_name_taken: 409,
  invalid_version: 422,
  version_exists: 409,
  version_too_large: 422,
  module_too_large: 422,
  invalid_source: 422,
  invalid_submodule: 422,
  invalid_deprecation: 422,
  upload_interrupted: 400,
  archive_too_large: 413,
  invalid_archive: 422,
  not_a_module: 422,
  publish_expired: 503,
  archives_not_kept: 501,
  archive_changed: 412,
  range_outside: 416,
  unauthorized: 401,
  turned_away: 503,
  bad_record: 422,
  not_empty: 409,
  invalid_token: 422,
  token_not_found: 404,
  administrator_required: 403,
  sign_in_not_configured: 404,
  invalid_sign_in: 400,
  sign_in_forbidden: 403,
  provider_unavailable: 502,
} as const satisfies Readonly<
  Record<string, number> & Record<RefusalsOfOperations<RegistryOperations>, number>
>
