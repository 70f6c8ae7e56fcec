import { formatDuration, type Refused, refuse } from '../../../kernel/index.ts'
import { nextMacrotask } from '../../../kernel/next-macrotask.ts'
import { isObject } from '../../../kernel/objects.ts'
import { type ExactJson, isExactObject, writeExact } from '../../kv2/exact-json.ts'
import type { KvConfig, Secret, SecretVersion, VersionView } from '../../kv2/model.ts'
import { type BodyRefusal, longUnits, readBody } from '../core/exact-body.ts'
import {
  body,
  booleanField,
  integerField,
  kindOf,
  notesField,
  notesPatchField,
  secondsField,
  signedSecondsField,
  unrecognized,
  versionsField,
} from '../core/fields.ts'
import { timeText } from '../core/time-text.ts'

export const ConfigBody = body({
  max_versions: integerField,
  cas_required: booleanField,
  metadata_cas_required: booleanField,
  delete_version_after: signedSecondsField,
})

export const VersionsBody = body({ versions: versionsField })

export const MetadataBody = body({
  max_versions: integerField,
  cas_required: booleanField,
  metadata_cas: integerField,
  metadata_cas_required: booleanField,
  delete_version_after: secondsField,
  custom_metadata: notesField,
})

/** `null` resets a field here, while elsewhere it means "omitted". */
export const MetadataPatchBody = body({
  max_versions: integerField.nullable(),
  cas_required: booleanField.nullable(),
  metadata_cas: integerField,
  metadata_cas_required: booleanField.nullable(),
  delete_version_after: secondsField.nullable(),
  custom_metadata: notesPatchField,
})

/** The input of a write or a patch. */
export interface WriteInput {
  /** The data, with all digits. */
  readonly json: string
  /** The version that must be the current one. */
  readonly cas: number | undefined
}

/** A value as plain JSON. */
const plain = (value: ExactJson): unknown => JSON.parse(writeExact(value))

const notAMap = (field: 'data' | 'options', value: ExactJson): Refused<'data_not_a_map'> =>
  refuse(
    'data_not_a_map',
    `Field validation failed: error converting input for field "${field}": expected a map, not ${kindOf(plain(value))}`,
  )

type WriteRefusal = BodyRefusal | 'no_data' | 'cas_not_a_number'

/** Reads the body of a write or a patch. */
export async function readWriteBody(text: string): Promise<WriteInput | Refused<WriteRefusal>> {
  const body = readBody(text)
  if (text.length > longUnits) await nextMacrotask()
  if ('ok' in body) return body
  const data = body.get('data') ?? null
  if (data === null) return refuse('no_data', 'no data provided')
  if (!isExactObject(data)) return notAMap('data', data)
  const options = body.get('options') ?? null
  if (options === null) return { json: writeExact(data), cas: undefined }
  if (!isExactObject(options)) return notAMap('options', options)
  const read = readCas(plain(options))
  if (read === 'invalid') return refuse('cas_not_a_number', 'error parsing check-and-set parameter')
  return { json: writeExact(data), cas: read.cas }
}

/** A warning about the fields of a body that a write ignores. */
export function ignoredFields(body: unknown): readonly string[] {
  const names = isObject(body) ? Object.keys(body) : []
  const ignored = names.filter((name) => !['data', 'options', 'version'].includes(name))
  return ignored.length === 0 ? [] : [unrecognized(ignored.sort())]
}

/** `cas`, weakly typed: a number or a numeric string; null and the empty string are 0. */
function readCas(options: unknown): { readonly cas: number | undefined } | 'invalid' {
  if (typeof options !== 'object' || options === null || !Object.hasOwn(options, 'cas'))
    return { cas: undefined }
  const value: unknown = Object.getOwnPropertyDescriptor(options, 'cas')?.value
  if (value === null || value === '') return { cas: 0 }
  const number = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value
  return typeof number === 'number' && Number.isSafeInteger(number) ? { cas: number } : 'invalid'
}

const versionFields = ({ createdAt, deletedAt, expiresAt, destroyed }: SecretVersion) => {
  // One wire name for both: when it was deleted, or when it will be.
  const deletion = deletedAt ?? expiresAt
  return {
    created_time: timeText(createdAt),
    deletion_time: deletion === null ? '' : timeText(deletion),
    destroyed,
  }
}

/** The metadata of one version, as in answers of reads and writes. */
export const versionWire = (view: VersionView) => {
  const { created_time, deletion_time, destroyed } = versionFields(view)
  const { customMetadata: custom_metadata, version } = view
  return { created_time, deletion_time, destroyed, custom_metadata, version }
}

/** The metadata of a secret. */
export const metadataWire = (secret: Secret) => ({
  cas_required: secret.casRequired,
  created_time: timeText(secret.createdAt),
  current_metadata_version: secret.metadataVersion ?? 0,
  current_version: secret.current,
  custom_metadata: secret.customMetadata,
  delete_version_after: formatDuration(secret.deleteVersionAfterSeconds * 1000),
  max_versions: secret.maxVersions,
  metadata_cas_required: secret.metadataCasRequired ?? false,
  oldest_version: secret.oldest,
  updated_time: timeText(secret.updatedAt),
  versions: Object.fromEntries(
    Object.entries(secret.versions).map(([number, version]) => [number, versionFields(version)]),
  ),
})

export const configWire = (config: KvConfig) => ({
  cas_required: config.casRequired,
  delete_version_after: formatDuration(config.deleteVersionAfterSeconds * 1000),
  max_versions: config.maxVersions,
  ...(config.metadataCasRequired === undefined ? {} : { metadata_cas_required: config.metadataCasRequired }),
})

/** A number of versions cannot be negative. */
export const maxVersionsProblem = (count: number | null | undefined) =>
  typeof count === 'number' && count < 0
    ? refuse(
        'negative_max_versions',
        `Field validation failed: error converting input for field "max_versions": cannot provide negative value '${count}'`,
      )
    : undefined
