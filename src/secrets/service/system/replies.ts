import * as z from 'zod'
import { enveloped, twice } from '../reply-shapes.ts'

/** Documentation of the answers of the system routes. */

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
  leader_address: text,
  leader_cluster_address: text,
  performance_standby: yes,
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

const options = z.record(text, text).nullable()
const mount = {
  accessor: text,
  config: z.object({
    default_lease_ttl: number,
    force_no_cache: yes,
    max_lease_ttl: number,
    listing_visibility: text.optional(),
    token_type: text.optional(),
  }),
  description: text,
  external_entropy_access: yes,
  local: yes,
  options,
  seal_wrap: yes,
  type: text,
  uuid: text,
  plugin_version: text,
  running_plugin_version: text,
  running_sha256: text,
  deprecation_status: text,
}
const tuning = {
  default_lease_ttl: number,
  description: text,
  force_no_cache: yes,
  max_lease_ttl: number,
  options: options.optional(),
  listing_visibility: text.optional(),
  token_type: text.optional(),
}
const Mount = z.object(mount).meta({ id: 'Mount' })
export const Mounts = enveloped(z.record(text, Mount)).catchall(Mount.or(z.unknown()))
export const MountOrTuning = twice(mount).or(twice(tuning))
const Signboards = z.record(text, z.union([Mount, z.object({ type: text, description: text, options })]))
export const UiMounts = enveloped(z.object({ secret: Signboards, auth: Signboards }))
export const UiMount = enveloped(z.object({ ...mount, path: text }))
export const Moved = twice({ migration_id: text })
export const MoveStatus = twice({
  migration_id: text,
  migration_info: z.object({ source_mount: text, target_mount: text, status: text }),
})

export const PolicyNames = twice({ keys: texts })
export const OldPolicyNames = twice({ keys: texts, policies: texts })
export const Policy = twice({ name: text, policy: text })
export const OldPolicy = twice({ name: text, rules: text })
const rights = z.record(text, z.object({ capabilities: texts }))
export const ResultantAcl = twice({
  exact_paths: rights,
  glob_paths: rights,
  root: yes,
  chroot_namespace: text,
})
export const Capabilities = enveloped(z.record(text, texts)).catchall(z.unknown())

export const Cors = twice({
  enabled: yes,
  allowed_origins: texts.optional(),
  allowed_headers: texts.optional(),
})
export const UiHeader = twice({ value: text.optional(), values: texts.optional() })

export const Lease = twice({
  id: text,
  issue_time: text,
  expire_time: text.nullable(),
  last_renewal: text.nullable(),
  renewable: yes,
  ttl: number,
})
export const Digest = twice({ sum: text })
export const RandomBytes = twice({ random_bytes: text })
export const Described = z.looseObject({ openapi: text, paths: z.record(text, z.unknown()) })

const namespace = { id: text, path: text, custom_metadata: z.record(text, text) }
const Namespace = z.object(namespace)
export const NamespaceRead = enveloped(Namespace).meta({ id: 'Namespace' })
export const Namespaces = enveloped(z.object({ keys: texts, key_info: z.record(text, Namespace) }))

export const WrappingLookup = enveloped(
  z.object({ creation_ttl: number, creation_time: text, creation_path: text }),
)
