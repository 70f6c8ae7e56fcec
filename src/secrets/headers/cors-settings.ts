import { type Env, type Outcome, refuse } from '../../kernel/index.ts'
import type { CrossOriginRules } from './cross-origin.ts'

/** Why CORS rules were not stored. */
export type CorsRefusal = 'cors_origins'

/**
 * Replaces the rules for pages of other origins.
 *
 * @returns the rules; or `cors_origins` for an empty list, or for `*` together with others
 */
export function writeCors(
  _rules: CrossOriginRules | undefined,
  { allowedOrigins, allowedHeaders }: CrossOriginRules,
  _env: Env,
): Outcome<CrossOriginRules, CrossOriginRules, never, CorsRefusal> {
  if (allowedOrigins.length === 0)
    return refuse('cors_origins', 'at least one origin or the wildcard must be provided')
  if (allowedOrigins.includes('*') && allowedOrigins.length > 1)
    return refuse('cors_origins', "to allow all origins the '*' must be the only value for allowed_origins")
  const rules = { allowedOrigins: [...allowedOrigins], allowedHeaders: [...allowedHeaders] }
  return { ok: true, state: rules, value: rules, events: [] }
}
