import * as z from 'zod'
import type { SealStatus as Status } from '../../seal/index.ts'
import type { Core } from '../core/core.ts'
import { body, booleanField, integerField, listField, textField } from '../core/fields.ts'
import { twice } from '../core/reply-shapes.ts'

export const InitBody = body({
  secret_shares: integerField,
  secret_threshold: integerField,
  pgp_keys: listField,
  root_token_pgp_key: textField,
})
export const UnsealBody = body({ key: textField, reset: booleanField })

const text = z.string()
const texts = z.array(text)
const number = z.int()
const yes = z.boolean()

const sealed = {
  build_date: text,
  initialized: yes,
  migration: yes,
  n: number,
  nonce: text,
  progress: number,
  recovery_seal: yes,
  sealed: yes,
  storage_type: text,
  t: number,
  type: text,
  version: text,
  cluster_id: text.optional(),
  cluster_name: text.optional(),
}
export const Initialized = z.object({ initialized: yes })
export const NewKeys = z.object({ keys: texts, keys_base64: texts, root_token: text })
export const SealStatus = z.object(sealed).meta({ id: 'SealStatus' })
export const Health = z
  .object({
    initialized: yes,
    sealed: yes,
    standby: yes,
    performance_standby: yes,
    replication_performance_mode: text,
    replication_dr_mode: text,
    server_time_utc: number,
    version: text,
    cluster_id: text.optional(),
    cluster_name: text.optional(),
  })
  .meta({ id: 'Health' })
export const Leader = z.object({
  ha_enabled: yes,
  is_self: yes,
  active_time: text,
  leader_address: text,
  leader_cluster_address: text,
  performance_standby: yes,
  performance_standby_last_remote_wal: number,
})

export const KeyStatus = twice({ term: number, install_time: text, encryptions: number })
export const Rekey = z
  .object({
    backup: yes,
    n: number,
    nonce: text,
    pgp_fingerprints: z.null(),
    progress: number,
    required: number,
    started: yes,
    t: number,
    verification_required: yes,
    verification_nonce: text.optional(),
  })
  .meta({ id: 'Rekey' })
export const Rekeyed = z.object({
  backup: yes,
  complete: z.literal(true),
  keys: texts,
  keys_base64: texts,
  nonce: text,
  pgp_fingerprints: z.null(),
  verification_required: yes,
  verification_nonce: text.optional(),
})
export const Verification = z
  .object({ n: number, nonce: text, progress: number, started: yes, t: number })
  .meta({ id: 'RekeyVerification' })
export const Verified = z.object({ complete: z.literal(true), nonce: text })
export const RootGeneration = z
  .object({
    complete: yes,
    encoded_root_token: text,
    encoded_token: text,
    nonce: text,
    otp: text,
    otp_length: number,
    pgp_fingerprint: text,
    progress: number,
    required: number,
    started: yes,
  })
  .meta({ id: 'RootGeneration' })

export const sealWire = (
  status: Status,
  { version, options: { staticSeal } }: Pick<Core, 'version' | 'options'>,
) => ({
  build_date: '',
  initialized: status.initialized,
  migration: false,
  n: status.shares,
  nonce: status.nonce,
  progress: status.progress,
  recovery_seal: staticSeal !== undefined,
  sealed: status.sealed,
  storage_type: 'plinth',
  t: status.threshold,
  type: staticSeal === undefined ? 'shamir' : 'static',
  version,
  ...(status.clusterId === null ? {} : { cluster_id: status.clusterId, cluster_name: 'plinth' }),
})
