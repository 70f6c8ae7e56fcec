import * as z from 'zod'
import type { CreateBoxInput } from '../boxes/create.ts'
import type { UpdateBoxInput } from '../boxes/update.ts'
import type { ProviderFields } from '../providers/fields.ts'
import type { CreateVersionInput } from '../versions/create.ts'
import type { UpdateVersionInput } from '../versions/update.ts'
import { wellFormed } from './well-formed.ts'

/** A field that callers set: its name in methods, and its name and schema in requests. */
export interface Field<Value> {
  readonly wire: string
  readonly given: z.ZodType
  readonly sent: z.ZodType<Value>
}

/** Clients send null for fields that they do not set. */
export const sentText = z
  .string()
  .nullish()
  .transform((value) => (value == null ? undefined : wellFormed(value)))

const sentFlag = z
  .union([z.boolean(), z.enum(['true', 'false']).transform((value) => value === 'true')], {
    error: 'expected true or false',
  })
  .nullish()
  .transform((value) => value ?? undefined)

const text = (wire: string): Field<string | undefined> => ({
  wire,
  given: z.string().optional(),
  sent: sentText,
})
/** A string that methods remove with null. */
const removableText = (wire: string): Field<string | undefined> => ({
  wire,
  given: z.string().nullable().optional(),
  sent: sentText,
})
const flag = (wire: string): Field<boolean | undefined> => ({
  wire,
  given: z.boolean().optional(),
  sent: sentFlag,
})

type FieldsOf<Input> = Readonly<Record<keyof Input, Field<unknown>>>

export const boxFields = {
  username: text('username'),
  name: text('name'),
  shortDescription: text('short_description'),
  description: text('description'),
  private: flag('is_private'),
} satisfies FieldsOf<CreateBoxInput & UpdateBoxInput>

export const versionFields = {
  version: text('version'),
  description: text('description'),
} satisfies FieldsOf<CreateVersionInput & UpdateVersionInput>

export const providerFields = {
  name: text('name'),
  architecture: text('architecture'),
  defaultArchitecture: flag('default_architecture'),
  url: removableText('url'),
  checksum: removableText('checksum'),
  checksumType: removableText('checksum_type'),
} satisfies FieldsOf<ProviderFields>

/** The shape of the fields as methods take them. */
export const givenShape = (fields: Readonly<Record<string, Field<unknown>>>): Record<string, z.ZodType> =>
  Object.fromEntries(Object.entries(fields).map(([name, { given }]) => [name, given]))
