import * as z from 'zod'
import type { ApproleRole, ApproleSecretId } from '../../approle/model.ts'
import {
  body,
  booleanField,
  integerField,
  listField,
  secondsField,
  textField,
  textMapField,
} from '../core/fields.ts'
import { enveloped } from '../core/reply-shapes.ts'
import { timeText } from '../core/time-text.ts'
import { orNull, viewOf } from '../core/view.ts'
import { tokenSettingsFields, tokenSettingsNamed, tokenSettingsShape } from '../tokens/settings-wire.ts'

export const RoleBody = body({
  role_id: textField,
  bind_secret_id: booleanField,
  secret_id_bound_cidrs: listField,
  bound_cidr_list: listField,
  secret_id_num_uses: integerField,
  secret_id_ttl: secondsField,
  local_secret_ids: booleanField,
  enable_local_secret_ids: booleanField,
  ...tokenSettingsFields,
  policies: listField,
  period: secondsField,
})

/** Metadata of a secret ID: a map of strings, or its JSON text. */
const MetadataField = z.preprocess((value) => {
  if (typeof value !== 'string') return value
  if (value === '') return undefined
  try {
    return JSON.parse(value) as unknown
  } catch {
    return value
  }
}, textMapField)

export const SecretIdBody = body({
  secret_id: textField,
  metadata: MetadataField,
  cidr_list: listField,
  token_bound_cidrs: listField,
  num_uses: integerField,
  ttl: secondsField,
})
export const NameBody = body({ secret_id: textField, secret_id_accessor: textField })
export const LoginBody = body({ role_id: textField, secret_id: textField })

const text = z.string()
const texts = z.array(text)

/** The readable fields of a role besides the settings of its tokens: its role ID has its own path. */
const roleView = viewOf<ApproleRole>()({
  bind_secret_id: [z.boolean(), (role) => role.bindSecretId],
  local_secret_ids: [z.boolean(), (role) => role.localSecretIds],
  secret_id_bound_cidrs: [texts.nullable(), (role) => orNull(role.secretIdBoundCidrs)],
  secret_id_num_uses: [z.int(), (role) => role.secretIdNumUses],
  secret_id_ttl: [z.int(), (role) => role.secretIdTtlSeconds],
})
export const roleWire = (role: ApproleRole) => ({
  ...roleView.show(role),
  ...tokenSettingsNamed(role.tokens),
})

/** The answer with a new secret ID, returned only once. */
export const madeView = viewOf<
  Pick<ApproleSecretId, 'accessor' | 'numUses' | 'ttlSeconds'> & { readonly secretId: string }
>()({
  secret_id: [text, (made) => made.secretId],
  secret_id_accessor: [text, (made) => made.accessor],
  secret_id_num_uses: [z.int(), (made) => made.numUses],
  secret_id_ttl: [z.int(), (made) => made.ttlSeconds],
})

/** The answer of a look-up. */
export const secretIdView = viewOf<ApproleSecretId>()({
  cidr_list: [texts, ({ cidrList }) => cidrList],
  creation_time: [text, ({ createdAt }) => timeText(createdAt)],
  expiration_time: [
    text,
    ({ expiresAt }) => (expiresAt === null ? '0001-01-01T00:00:00Z' : timeText(expiresAt)),
  ],
  last_updated_time: [text, ({ updatedAt }) => timeText(updatedAt)],
  metadata: [z.record(text, text), ({ metadata }) => metadata],
  secret_id_accessor: [text, ({ accessor }) => accessor],
  secret_id_num_uses: [z.int(), ({ numUses }) => numUses],
  secret_id_ttl: [z.int(), ({ ttlSeconds }) => ttlSeconds],
  token_bound_cidrs: [texts, ({ tokenBoundCidrs }) => tokenBoundCidrs],
})

export const RoleReply = enveloped(z.object({ ...roleView.shape, ...tokenSettingsShape }))
export const RoleIdReply = enveloped(z.object({ role_id: text }))
export const MadeReply = enveloped(z.object(madeView.shape))
export const SecretIdReply = enveloped(z.object(secretIdView.shape))
