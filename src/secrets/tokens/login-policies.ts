import { normalisePolicies } from '../acl/policy-names.ts'
import type { Token } from './model.ts'
import type { TokenSettings } from './token-settings.ts'

/**
 * Whether a login today would give the policies that a token of a login has; `default` does not count.
 *
 * @param more - what user and groups are entitled to, beside the settings
 */
export const hasLoginPolicies = (
  token: Token,
  settings: TokenSettings,
  more: readonly string[] = [],
): boolean => asCompared(token.policies) === asCompared([...settings.policies, ...more])

const asCompared = (names: readonly string[]): string =>
  JSON.stringify(normalisePolicies(names).filter((name) => name !== 'default'))
