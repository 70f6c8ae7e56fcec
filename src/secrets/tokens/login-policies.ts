import { normalisePolicies } from '../acl/policy-names.ts'
import type { Token } from './model.ts'
import type { TokenSettings } from './token-settings.ts'

/**
 * Whether a login now would give the same policies as the token of an earlier login; ignores `default`.
 *
 * @param more - the policies of user and groups, in addition to the settings
 */
export const hasLoginPolicies = (
  token: Token,
  settings: TokenSettings,
  more: readonly string[] = [],
): boolean => asCompared(token.policies) === asCompared([...settings.policies, ...more])

const asCompared = (names: readonly string[]): string =>
  JSON.stringify(normalisePolicies(names).filter((name) => name !== 'default'))
