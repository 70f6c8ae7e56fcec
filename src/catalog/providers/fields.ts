import { type Refused, refuse } from '../../kernel/index.ts'
import { isWebUrl } from '../web-url.ts'
import type { Checksum } from './model.ts'
import { type Architecture, architectures, type ChecksumType, checksumTypes } from './vocabulary.ts'

/**
 * The fields of a provider. `null` clears a value; omitted fields stay unchanged, or take their defaults.
 */
export interface ProviderFields {
  readonly name?: string | undefined
  /** One of the supported architectures; `unknown` by default. */
  readonly architecture?: string | undefined
  /**
   * `true` makes this the default architecture of its name; `false` changes nothing, because one must be the default.
   */
  readonly defaultArchitecture?: boolean | undefined
  /** The http or https URL of the image; without it the image must be uploaded. */
  readonly url?: string | null | undefined
  /** Hexadecimal; requires a type, and the type requires it. */
  readonly checksum?: string | null | undefined
  /** `md5`, `sha1`, `sha256`, `sha384` or `sha512`. */
  readonly checksumType?: string | null | undefined
}

/**
 * The refusals of invalid provider fields.
 */
export type ProviderFieldRefusal =
  | 'invalid_provider_name'
  | 'invalid_architecture'
  | 'invalid_url'
  | 'invalid_checksum'

/** The checked fields of a provider; `undefined` for omitted ones. */
export interface CheckedFields {
  readonly name: string | undefined
  readonly architecture: Architecture | undefined
  readonly url: string | null | undefined
  readonly checksum: Checksum | null | undefined
}

const nameGrammar = /^[0-9A-Za-z][0-9A-Za-z._-]{0,63}$/

/** Checks the fields of a provider. */
export function checkFields(fields: ProviderFields): CheckedFields | Refused<ProviderFieldRefusal> {
  const { name, architecture } = fields
  if (name !== undefined && !nameGrammar.test(name))
    return refuse(
      'invalid_provider_name',
      name === ''
        ? "Name can't be blank"
        : 'Name is invalid: use 1 to 64 letters, digits, dots, dashes and underscores, with a letter or digit first',
    )
  if (architecture !== undefined && !isArchitecture(architecture))
    return refuse(
      'invalid_architecture',
      `Architecture is not included in the list: use one of ${architectures.join(', ')}`,
    )
  const url = checkUrl(fields.url)
  if (typeof url === 'object' && url !== null) return url
  const checksum = checkChecksum(fields)
  if (checksum && 'refusal' in checksum) return checksum
  return { name, architecture, url, checksum }
}

/**
 * Whether a string is one of the supported {@link architectures}.
 *
 * @example
 * ```ts
 * import { isArchitecture } from 'plinth/catalog'
 *
 * isArchitecture('arm64') // true
 * isArchitecture('x86_64') // false
 * ```
 */
export const isArchitecture = (text: string): text is Architecture =>
  (architectures as readonly string[]).includes(text)

/** Whether a string names a supported checksum algorithm. */
export const isChecksumType = (text: string): text is ChecksumType =>
  (checksumTypes as readonly string[]).includes(text)

function checkUrl(url: string | null | undefined): string | null | undefined | Refused<'invalid_url'> {
  // Clients send an empty string for "no url".
  if (url === undefined || url === null || url === '') return url === undefined ? undefined : null
  if (isWebUrl(url) && url.length <= 4096) return url
  return refuse('invalid_url', 'Url is invalid: use an absolute http or https URL of at most 4096 characters')
}

const hexLength = { md5: 32, sha1: 40, sha256: 64, sha384: 96, sha512: 128 } as const satisfies Record<
  ChecksumType,
  number
>

function checkChecksum({
  checksum,
  checksumType,
}: ProviderFields): Checksum | null | undefined | Refused<'invalid_checksum'> {
  if (checksum === undefined && checksumType === undefined) return undefined
  const hex = checksum ?? ''
  const type = checksumType ?? ''
  if (hex === '' && type === '') return null
  if (hex === '' || type === '')
    return refuse('invalid_checksum', 'Checksum and checksum type must be given together')
  if (!isChecksumType(type))
    return refuse(
      'invalid_checksum',
      `Checksum type is not included in the list: use one of ${checksumTypes.join(', ')}`,
    )
  if (hex.length !== hexLength[type] || !/^[0-9A-Fa-f]+$/.test(hex))
    return refuse(
      'invalid_checksum',
      `Checksum is invalid: ${type} has ${hexLength[type]} hexadecimal digits`,
    )
  return { type, hex: hex.toLowerCase() }
}
