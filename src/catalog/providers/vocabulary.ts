/**
 * The supported architectures; `unknown` is that of providers created through version 1 of the API.
 */
export const architectures = [
  'amd64',
  'i386',
  'arm',
  'arm64',
  'ppc64le',
  'ppc64',
  'mips64le',
  'mips64',
  'mipsle',
  'mips',
  's390x',
  'unknown',
] as const

/**
 * One of {@link architectures}.
 */
export type Architecture = (typeof architectures)[number]

/**
 * The supported checksum algorithms.
 */
export const checksumTypes = ['md5', 'sha1', 'sha256', 'sha384', 'sha512'] as const

/**
 * One of {@link checksumTypes}.
 */
export type ChecksumType = (typeof checksumTypes)[number]
