import * as z from 'zod'
import { type Refused, refuse } from '../../../kernel/index.ts'
import { badCidr } from '../../../networks/networks.ts'
import { normalisePolicies } from '../../acl/policy-names.ts'
import {
  type FormerName,
  isTokenType,
  type TokenSettings,
  type TokenSettingsInput,
} from '../../tokens/token-settings.ts'
import { booleanField, integerField, listField, secondsField } from '../core/fields.ts'

/** The `token_*` fields of every auth method. */
export const tokenSettingsFields = {
  token_ttl: secondsField,
  token_max_ttl: secondsField,
  token_policies: listField,
  token_bound_cidrs: listField,
  token_explicit_max_ttl: secondsField,
  token_no_default_policy: booleanField,
  token_num_uses: integerField,
  token_period: secondsField,
  token_type: z
    .string({ error: 'expected a string' })
    .refine(isTokenType, { error: ({ input }) => `invalid 'token_type' value ${JSON.stringify(input)}` })
    .nullish()
    .transform((type) => type ?? undefined),
}

const TokenSettingsBody = z.object(tokenSettingsFields)

/** Former names of some fields: they are used if the field itself is omitted. */
interface OldNames {
  readonly ttl?: number | undefined
  readonly max_ttl?: number | undefined
  readonly period?: number | undefined
  readonly policies?: readonly string[] | undefined
  readonly bound_cidrs?: readonly string[] | undefined
}

/** The settings in a body. */
export function tokenSettingsOf(
  body: z.output<typeof TokenSettingsBody>,
  old: OldNames = {},
): { readonly ok: true; readonly value: TokenSettingsInput } | Refused<'token_settings_invalid'> {
  const boundCidrs = body.token_bound_cidrs ?? old.bound_cidrs
  const wrong = badCidr(boundCidrs ?? [])
  if (wrong !== undefined)
    return refuse('token_settings_invalid', `token_bound_cidrs: ${JSON.stringify(wrong)} is not a network`)
  const policies = body.token_policies ?? old.policies
  return {
    ok: true,
    value: {
      ttlSeconds: body.token_ttl ?? old.ttl,
      maxTtlSeconds: body.token_max_ttl ?? old.max_ttl,
      policies: policies && [...normalisePolicies(policies)],
      boundCidrs,
      explicitMaxTtlSeconds: body.token_explicit_max_ttl,
      noDefaultPolicy: body.token_no_default_policy,
      numUses: body.token_num_uses,
      periodSeconds: body.token_period ?? old.period,
      type: body.token_type,
      ...formerNamesOf(body, old),
    },
  }
}

const formerNames = [
  'ttl',
  'max_ttl',
  'period',
  'policies',
  'bound_cidrs',
] as const satisfies readonly FormerName[]

/** Which settings a body sets by a former name, and which by the name of today. */
function formerNamesOf(
  body: z.output<typeof TokenSettingsBody>,
  old: OldNames,
): Pick<TokenSettings, 'formerNames'> {
  const set: Partial<Record<FormerName, boolean>> = {}
  for (const name of formerNames) {
    if (body[`token_${name}`] !== undefined) set[name] = false
    else if (old[name] !== undefined) set[name] = true
  }
  return Object.keys(set).length === 0 ? {} : { formerNames: set }
}

/** The settings that were set by a former name, under it. */
function formerWire({ formerNames: former = {}, ...tokens }: TokenSettings) {
  return {
    ...(former.ttl && tokens.ttlSeconds > 0 ? { ttl: tokens.ttlSeconds } : {}),
    ...(former.max_ttl && tokens.maxTtlSeconds > 0 ? { max_ttl: tokens.maxTtlSeconds } : {}),
    ...(former.period && tokens.periodSeconds > 0 ? { period: tokens.periodSeconds } : {}),
    ...(former.policies && tokens.policies.length > 0 ? { policies: tokens.policies } : {}),
    ...(former.bound_cidrs && tokens.boundCidrs.length > 0 ? { bound_cidrs: tokens.boundCidrs } : {}),
  }
}

/** The readable fields of the settings. */
export const tokenSettingsWire = (tokens: TokenSettings) => ({
  token_bound_cidrs: tokens.boundCidrs,
  token_explicit_max_ttl: tokens.explicitMaxTtlSeconds,
  token_max_ttl: tokens.maxTtlSeconds,
  token_no_default_policy: tokens.noDefaultPolicy,
  token_num_uses: tokens.numUses,
  token_period: tokens.periodSeconds,
  token_policies: tokens.policies,
  token_ttl: tokens.ttlSeconds,
  token_type: tokens.type,
  ...formerWire(tokens),
})

/** The same, with an unset type written out. */
export const tokenSettingsNamed = (tokens: TokenSettings) => ({
  ...tokenSettingsWire(tokens),
  token_type: tokens.type || 'default',
})

const texts = z.array(z.string())

/** The documentation of the settings. */
export const tokenSettingsShape = {
  token_bound_cidrs: texts,
  token_explicit_max_ttl: z.int(),
  token_max_ttl: z.int(),
  token_no_default_policy: z.boolean(),
  token_num_uses: z.int(),
  token_period: z.int(),
  token_policies: texts,
  token_ttl: z.int(),
  token_type: z.string(),
  ttl: z.int().optional(),
  max_ttl: z.int().optional(),
  period: z.int().optional(),
  policies: texts.optional(),
  bound_cidrs: texts.optional(),
}
