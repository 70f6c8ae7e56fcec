import { checkInput } from '../../kernel/check-input.ts'
import { type Answer, type Refused, refuse } from '../../kernel/index.ts'

/**
 * The settings of every auth method for the tokens it creates (the `token_*` fields). Durations are whole seconds, 0
 * for "not set".
 */
export interface TokenSettings {
  /** The TTL of a new token; 0 for that of the mount. */
  readonly ttlSeconds: number
  /** The maximum TTL including renewals; 0 for the maximum of the mount. */
  readonly maxTtlSeconds: number
  /** An end that no renewal moves; 0 for none. */
  readonly explicitMaxTtlSeconds: number
  /** Makes tokens periodic: each renewal resets the TTL to this; 0 for none. */
  readonly periodSeconds: number
  /** Policies of every token, beside those of the user or role. */
  readonly policies: readonly string[]
  /** Networks from which tokens can be used; empty for any. */
  readonly boundCidrs: readonly string[]
  /** Whether tokens go without the policy `default`. */
  readonly noDefaultPolicy: boolean
  /** How many requests a token can make; 0 for any number. */
  readonly numUses: number
  /** The kind of token; `''` for that of the mount. */
  readonly type: TokenTypeSetting
  /** The settings that were last set by a former name (`policies` for `token_policies`), by which they are shown, too. */
  readonly formerNames?: Readonly<Partial<Record<FormerName, boolean>>> | undefined
}

/** The former names of settings. */
export type FormerName = 'ttl' | 'max_ttl' | 'period' | 'policies' | 'bound_cidrs'

/** Which kind of token; `''` leaves it to the mount. */
export type TokenTypeSetting = (typeof tokenTypes)[number]

/** Every value of `token_type`. */
export const tokenTypes = ['', 'default', 'service', 'batch', 'default-service', 'default-batch'] as const

/** Whether a text is a value of `token_type`. */
export const isTokenType = (text: string): text is TokenTypeSetting =>
  tokenTypes.some((type) => type === text)

/** The settings of a method that says nothing. */
export const unsetTokenSettings: TokenSettings = {
  ttlSeconds: 0,
  maxTtlSeconds: 0,
  explicitMaxTtlSeconds: 0,
  periodSeconds: 0,
  policies: [],
  boundCidrs: [],
  noDefaultPolicy: false,
  numUses: 0,
  type: '',
}

/**
 * Whether token settings agree with each other.
 *
 * @returns the problem, or `undefined`
 *
 * @example
 * ```ts
 * import { tokenSettingsProblem, unsetTokenSettings } from 'plinth/tokens'
 *
 * const wrong = tokenSettingsProblem({ ...unsetTokenSettings, ttlSeconds: 7200, maxTtlSeconds: 3600 })
 * wrong?.refusal.message // "'token_ttl' cannot be greater than 'token_max_ttl'"
 * tokenSettingsProblem({ ...unsetTokenSettings, ttlSeconds: 7200 }) // undefined
 * ```
 */
export function tokenSettingsProblem(settings: TokenSettings): Refused<'token_settings_invalid'> | undefined {
  const wrong = (message: string) => refuse('token_settings_invalid', message)
  if (settings.numUses < 0) return wrong("'token_num_uses' cannot be negative")
  if (settings.ttlSeconds > settings.maxTtlSeconds && settings.maxTtlSeconds > 0) {
    return wrong("'token_ttl' cannot be greater than 'token_max_ttl'")
  }
  if (settings.type !== 'batch' && settings.type !== 'default-batch') return undefined
  if (settings.periodSeconds > 0) {
    return wrong("'token_type' cannot be 'batch' or 'default_batch' when set to generate periodic tokens")
  }
  return settings.numUses > 0
    ? wrong(
        "'token_type' cannot be 'batch' or 'default_batch' when set to generate tokens with limited use count",
      )
    : undefined
}

/** The settings of a write; omitted fields stay unchanged. */
export type TokenSettingsInput = {
  readonly [Field in keyof TokenSettings]?: TokenSettings[Field] | undefined
}

/** The fields that a write sets. */
export const givenFields = <Fields extends object>(
  input: Fields,
): { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> } =>
  // Each value is that of the same field of the input.
  Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined)) as {
    [Name in keyof Fields]?: Exclude<Fields[Name], undefined>
  }

/** Settings after a write, or a refusal if they would contradict each other. */
export function changedTokenSettings(
  settings: TokenSettings | undefined,
  input: TokenSettingsInput | undefined,
): Answer<TokenSettings, 'token_settings_invalid'> {
  if (input !== undefined) checkInput(input, {}, { ...unsetTokenSettings, formerNames: {} })
  const changed: TokenSettings = {
    ...(settings ?? unsetTokenSettings),
    ...givenFields(input ?? {}),
    ...(input?.formerNames === undefined
      ? {}
      : { formerNames: { ...settings?.formerNames, ...input.formerNames } }),
  }
  return tokenSettingsProblem(changed) ?? { ok: true, value: changed }
}
