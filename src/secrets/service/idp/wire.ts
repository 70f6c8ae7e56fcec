import * as z from 'zod'
import { type Refused, refuse } from '../../../kernel/index.ts'
import type { IdpConfig } from '../../idp/model.ts'
import { isTokenType } from '../../tokens/token-settings.ts'
import {
  body,
  booleanField,
  describeField,
  integerField,
  listField,
  secondsField,
  textField,
} from '../fields.ts'

/** The configuration as it is sent. */
export const ConfigBody = z.preprocess(
  (value) => value ?? {},
  z.looseObject({
    org_name: textField,
    organization: textField,
    api_token: textField,
    token: textField,
    base_url: textField,
    token_ttl: secondsField,
    ttl: secondsField,
    token_max_ttl: secondsField,
    max_ttl: secondsField,
    token_policies: listField,
    policies: listField,
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
  }),
)

/** The field that bypasses factors, under each word for the method. */
export const bypassField = (word: string): string => `bypass_${word}_mfa`

/** Reads the bypass field under whichever word it came; names it when it is neither true nor false. */
export function bypassOf(
  body: Readonly<Record<string, unknown>>,
  words: readonly string[],
): { readonly value: boolean | undefined } | Refused<'idp_config_invalid'> {
  const name = words.map(bypassField).find((field) => body[field] !== undefined)
  if (name === undefined) return { value: undefined }
  const read = z.object({ [name]: booleanField }).safeParse(body)
  return read.success ? { value: read.data[name] } : refuse('idp_config_invalid', describeField(read.error))
}

export const UserBody = body({ groups: listField, policies: listField })
export const GroupBody = body({ policies: listField })
export const LoginBody = body({ password: textField, totp: textField, provider: textField, nonce: textField })

/** The configuration as it is read: every field but the API token. */
export const configWire = ({ orgName, baseUrl, bypassMfa, tokens }: IdpConfig, words: readonly string[]) => ({
  base_url: baseUrl,
  ...Object.fromEntries(words.map((word) => [bypassField(word), bypassMfa])),
  org_name: orgName,
  token_bound_cidrs: tokens.boundCidrs,
  token_explicit_max_ttl: tokens.explicitMaxTtlSeconds,
  token_max_ttl: tokens.maxTtlSeconds,
  token_no_default_policy: tokens.noDefaultPolicy,
  token_num_uses: tokens.numUses,
  token_period: tokens.periodSeconds,
  token_policies: tokens.policies,
  token_ttl: tokens.ttlSeconds,
  token_type: tokens.type,
})
