import * as z from 'zod'
import { strict } from '../../operation/known-fields.ts'
import type { Replies } from './replies.ts'
import { wellFormed } from './well-formed.ts'

/** ISO 8601, in any precision. */
const instant = z.iso
  .datetime({ offset: true })
  .transform((text) => Date.parse(text))
  .optional()

const optionalText = z
  .string()
  .nullish()
  .transform((text) => text && wellFormed(text))

/** Every field that the API returns: records that were read can be loaded. */
type Shown<Name extends keyof Replies> = Readonly<Record<keyof Replies[Name] | (string & {}), z.ZodType>>

/** Fields of answers that are not stored: they are accepted and ignored. */
const shown = z.unknown().optional()

const ProviderRecord = strict({
  name: z.string(),
  url: optionalText,
  original_url: optionalText,
  checksum: optionalText,
  checksum_type: optionalText,
  architecture: z.string().optional(),
  default_architecture: z.boolean().optional(),
  created_at: instant,
  updated_at: instant,
  hosted: shown,
  hosted_token: shown,
  download_url: shown,
} satisfies Shown<'Provider'>)
export interface ProviderRecord extends z.output<typeof ProviderRecord> {}

const VersionRecord = strict({
  version: z.string().optional(),
  number: z.string().optional(),
  status: z.enum(['unreleased', 'active', 'revoked']).optional(),
  description: optionalText,
  description_markdown: optionalText,
  created_at: instant,
  updated_at: instant,
  providers: z.array(ProviderRecord).default([]),
  description_html: shown,
  release_url: shown,
  revoke_url: shown,
} satisfies Shown<'Version'>)
export interface VersionRecord extends z.output<typeof VersionRecord> {}

export const BoxRecord = strict({
  tag: z.string().optional(),
  username: z.string().optional(),
  name: z.string().optional(),
  short_description: optionalText,
  description: optionalText,
  description_markdown: optionalText,
  private: z.boolean().optional(),
  is_private: z.boolean().optional(),
  downloads: z.int().min(0).default(0),
  created_at: instant,
  updated_at: instant,
  current_version: VersionRecord.nullish(),
  versions: z.array(VersionRecord).optional(),
  description_html: shown,
} satisfies Shown<'Box'>)
export interface BoxRecord extends z.output<typeof BoxRecord> {}

const OrganizationRecord = strict({
  username: z.string(),
  avatar_url: optionalText,
  profile_markdown: optionalText,
  members: z.array(z.string()).default([]),
  profile_html: shown,
  boxes: shown,
} satisfies Shown<'Account'>)

/** The records of a load: boxes, each parsed later, and the organizations that own some of them. */
export const UnreadRecords = strict({
  boxes: z.array(z.unknown()).default([]),
  organizations: z.array(OrganizationRecord).default([]),
})
/**
 * Boxes as the API shows them, to fill an empty catalog with; missing fields take their defaults.
 */
export interface CatalogRecords extends Pick<z.input<typeof UnreadRecords>, 'organizations'> {
  boxes?: z.input<typeof BoxRecord>[] | undefined
}
