import * as z from 'zod'
import { fromBase64 } from '../../../crypto/index.ts'
import { idTokenAlgorithms } from '../../identity/id-token-key.ts'
import type { IdTokenKey, IdTokenRole } from '../../identity/model.ts'
import { body, listField, secondsField, textField } from '../core/fields.ts'
import { enveloped } from '../core/reply-shapes.ts'
import { viewOf } from '../core/view.ts'

export const KeyBody = body({
  rotation_period: secondsField,
  verification_ttl: secondsField,
  allowed_client_ids: listField,
  algorithm: textField,
})
export const RotateBody = body({ verification_ttl: secondsField })
export const RoleBody = body({ key: textField, template: textField, client_id: textField, ttl: secondsField })
export const IssuerBody = body({ issuer: textField })
export const IntrospectBody = body({ token: textField, client_id: textField })

const text = z.string()
const texts = z.array(text)
/** The readable fields of a key. */
export const keyView = viewOf<IdTokenKey>()({
  algorithm: [text, ({ algorithm }) => algorithm],
  allowed_client_ids: [texts, ({ allowedClientIds }) => allowedClientIds],
  rotation_period: [z.int(), ({ rotationPeriodSeconds }) => rotationPeriodSeconds],
  verification_ttl: [z.int(), ({ verificationTtlSeconds }) => verificationTtlSeconds],
})
/** The readable fields of a role. */
export const roleView = viewOf<IdTokenRole>()({
  client_id: [text, ({ clientId }) => clientId],
  key: [text, ({ key }) => key],
  template: [text, ({ template }) => template],
  ttl: [z.int(), ({ ttlSeconds }) => ttlSeconds],
})
export const KeyReply = enveloped(z.object(keyView.shape)).meta({ id: 'IdTokenKey' })
export const RoleReply = enveloped(z.object(roleView.shape)).meta({ id: 'IdTokenRole' })
export const IssuerReply = enveloped(z.object({ issuer: text }))
export const TokenReply = enveloped(z.object({ token: text, client_id: text, ttl: z.int() }))
export const ActiveReply = z.object({ active: z.boolean(), error: text.optional() })
export const PublicKeysReply = z.object({ keys: z.array(z.record(text, text)) })
export const DiscoveryReply = z.object({
  issuer: text,
  jwks_uri: text,
  response_types_supported: texts,
  subject_types_supported: texts,
  id_token_signing_alg_values_supported: texts,
})

/** The discovery document of an issuer. */
export const discoveryWire = (issuer: string): z.output<typeof DiscoveryReply> => ({
  issuer,
  jwks_uri: `${issuer}/.well-known/keys`,
  response_types_supported: ['id_token'],
  subject_types_supported: ['public'],
  id_token_signing_alg_values_supported: [...idTokenAlgorithms],
})

const utf8 = new TextDecoder()

/** A template as written, or from base64. */
export function templateOf(given: string | undefined): string | undefined {
  const bytes = given ? fromBase64(given) : undefined
  return bytes === undefined ? given : utf8.decode(bytes)
}
