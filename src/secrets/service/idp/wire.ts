import * as z from 'zod'
import { type Refused, refuse } from '../../../kernel/index.ts'
import type { IdpConfig } from '../../idp/model.ts'
import { body, booleanField, describeField, listField, secondsField, textField } from '../core/fields.ts'
import { tokenSettingsFields, tokenSettingsWire } from '../tokens/settings-wire.ts'

/** The fields of a write of the configuration. */
export const ConfigBody = z.preprocess(
  (value) => value ?? {},
  z.looseObject({
    org_name: textField,
    organization: textField,
    api_token: textField,
    token: textField,
    base_url: textField,
    ...tokenSettingsFields,
    ttl: secondsField,
    max_ttl: secondsField,
    policies: listField,
  }),
)

/** The field that bypasses factors, under each word for the method. */
export const bypassField = (word: string): string => `bypass_${word}_mfa`

/** Reads the bypass field under any of its names; returns the name if its value is not a boolean. */
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

/** The readable fields of the configuration: all but the API token. */
export const configWire = ({ orgName, baseUrl, bypassMfa, tokens }: IdpConfig, words: readonly string[]) => ({
  base_url: baseUrl,
  ...Object.fromEntries(words.map((word) => [bypassField(word), bypassMfa])),
  org_name: orgName,
  ...tokenSettingsWire(tokens),
})
