import * as z from 'zod'
import { enveloped, Kept } from '../core/reply-shapes.ts'

/** Documentation of requests and answers; `wire.ts` builds the answers. */

const text = z.string()
const notes = z.record(text, text)

const Version = z.object({ created_time: text, deletion_time: text, destroyed: z.boolean() })
const SecretVersion = Version.extend({ custom_metadata: notes.nullable(), version: z.int() }).meta({
  id: 'SecretVersion',
})

export const VersionReply = enveloped(z.object({ data: Kept, metadata: SecretVersion })).meta({
  id: 'Secret',
})
/** A version whose data is deleted or destroyed. */
export const GoneReply = enveloped(z.object({ data: z.null(), metadata: SecretVersion })).meta({
  id: 'GoneSecret',
})
export const SubkeysReply = enveloped(z.object({ subkeys: Kept, metadata: SecretVersion }))
export const GoneSubkeysReply = enveloped(z.object({ subkeys: z.null(), metadata: SecretVersion }))
export const WrittenReply = enveloped(SecretVersion).meta({ id: 'WrittenSecret' })

export const WriteBody = z.object({
  data: Kept,
  options: z
    .object({
      cas: z.int().optional().describe('the required current version; 0 if the secret must not exist'),
    })
    .optional(),
})

export const ConfigReply = enveloped(
  z.object({
    cas_required: z.boolean(),
    delete_version_after: text,
    max_versions: z.int(),
    metadata_cas_required: z.boolean().optional(),
  }),
)
const Metadata = z.object({
  cas_required: z.boolean(),
  created_time: text,
  current_metadata_version: z.int(),
  current_version: z.int(),
  custom_metadata: notes.nullable(),
  delete_version_after: text,
  max_versions: z.int(),
  metadata_cas_required: z.boolean(),
  oldest_version: z.int(),
  updated_time: text,
  versions: z.record(text, Version),
})
export const MetadataReply = enveloped(Metadata).meta({ id: 'SecretMetadata' })
/** Names with details of each; a folder has none. */
export const DetailedReply = enveloped(
  z.object({ keys: z.array(text), key_info: z.record(text, Metadata) }),
).meta({ id: 'DetailedKeys' })

/** The version in a query. */
export const versionText = text.optional().describe('the number of the version; the current one by default')
