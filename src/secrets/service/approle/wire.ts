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

/** The readable fields of a role: all but its role ID, which has its own path. */
export const roleWire = (role: ApproleRole) => ({
  bind_secret_id: role.bindSecretId,
  local_secret_ids: role.localSecretIds,
  secret_id_bound_cidrs: role.secretIdBoundCidrs,
  secret_id_num_uses: role.secretIdNumUses,
  secret_id_ttl: role.secretIdTtlSeconds,
  ...tokenSettingsNamed(role.tokens),
})

/** The answer with a new secret ID, returned only once. */
export const madeWire = ({
  secretId,
  accessor,
  numUses,
  ttlSeconds,
}: Pick<ApproleSecretId, 'accessor' | 'numUses' | 'ttlSeconds'> & { readonly secretId: string }) => ({
  secret_id: secretId,
  secret_id_accessor: accessor,
  secret_id_num_uses: numUses,
  secret_id_ttl: ttlSeconds,
})

/** The answer of a look-up. */
export const secretIdWire = (secretId: ApproleSecretId) => ({
  cidr_list: secretId.cidrList,
  creation_time: timeText(secretId.createdAt),
  expiration_time: secretId.expiresAt === null ? '0001-01-01T00:00:00Z' : timeText(secretId.expiresAt),
  last_updated_time: timeText(secretId.updatedAt),
  metadata: secretId.metadata,
  secret_id_accessor: secretId.accessor,
  secret_id_num_uses: secretId.numUses,
  secret_id_ttl: secretId.ttlSeconds,
  token_bound_cidrs: secretId.tokenBoundCidrs,
})

const text = z.string()
const texts = z.array(text)

export const RoleReply = enveloped(
  z.object({
    bind_secret_id: z.boolean(),
    local_secret_ids: z.boolean(),
    secret_id_bound_cidrs: texts,
    secret_id_num_uses: z.int(),
    secret_id_ttl: z.int(),
    ...tokenSettingsShape,
  }),
)
export const RoleIdReply = enveloped(z.object({ role_id: text }))
export const MadeReply = enveloped(
  z.object({
    secret_id: text,
    secret_id_accessor: text,
    secret_id_num_uses: z.int(),
    secret_id_ttl: z.int(),
  }),
)
export const SecretIdReply = enveloped(
  z.object({
    cidr_list: texts,
    creation_time: text,
    expiration_time: text,
    last_updated_time: text,
    metadata: z.record(text, text),
    secret_id_accessor: text,
    secret_id_num_uses: z.int(),
    secret_id_ttl: z.int(),
    token_bound_cidrs: texts,
  }),
)
