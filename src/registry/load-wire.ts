import * as z from 'zod'
import { strict } from '../operation/known-fields.ts'
import { parseMicros } from './rfc3339-micros.ts'
import { ModulePart } from './versions/model.ts'

/** An RFC 3339 timestamp, as microseconds since the Unix epoch. */
const Timestamp = z.string().transform((text, context) => {
  const micros = parseMicros(text)
  if (micros !== undefined) return micros
  context.addIssue({
    code: 'custom',
    message: 'expected an RFC 3339 timestamp such as 2026-01-02T03:04:05.678901Z',
  })
  return z.NEVER
})

const shown = z.unknown().optional()

/** Fields of answers that are not stored: they are accepted and ignored. */
const shownFields = { id: shown, version: shown, root: shown, submodules: shown, providers: shown }

/** Record fields that loading does not set: omitting any other field does not compile. */
export type OnlyShown<Fields> = {
  readonly [Name in keyof Fields]: Name extends keyof typeof shownFields ? unknown : never
}

/** One version in a load file. */
export const VersionRecord = strict({
  version: z.string(),
  source: z.string(),
  published_at: Timestamp.optional(),
  root: ModulePart.optional(),
  submodules: z.array(ModulePart).optional(),
})

/** One module in a load file, with its versions. */
export const ModuleRecord = strict({
  namespace: z.string(),
  name: z.string(),
  provider: z.string(),
  owner: z.string().default(''),
  description: z.string().default(''),
  source: z.string().default(''),
  verified: z.boolean().default(false),
  labels: z.array(z.string()).optional(),
  published_at: Timestamp.optional(),
  downloads: z.int().min(0).default(0),
  /** Those of `downloads` whose UTC day of the last year is known, by its date. */
  daily_downloads: z.record(z.iso.date(), z.int().min(0)).default({}),
  versions: z.array(VersionRecord).default([]),
  ...shownFields,
})

/** The registry's section of a load file; its modules are parsed one by one. */
export const UnreadRecords = strict({ modules: z.array(z.unknown()).default([]) })

/**
 * Modules to fill an empty registry with: full objects in wire form, with defaults for missing fields.
 */
export interface RegistryRecords {
  /** In any order, each with its versions. */
  readonly modules?: z.input<typeof ModuleRecord>[] | undefined
}
