import { type CryptoPort, toHex } from '../../../crypto/index.ts'
import { type Collection, limits, type Part } from '../../../store/index.ts'
import { utf8Length } from '../../../store/port/keys.ts'

/** A path in a record. */
export interface KeptPath {
  readonly path: string
  /** The SHA-256 of a path that is too long to be part of the record's key; omitted for all others. */
  readonly digest?: string
}

/** A record's key, and its path in the record. */
export interface PathKey {
  readonly key: string
  readonly kept: KeptPath
}

/** The size of a head. The rest of a key's 1,024 bytes is for a digest and other names. */
const headBytes = 700

/**
 * The parts of a key that represent a path: the path itself, or the head and the digest of a long one. A path is never
 * empty, so that no other key begins like those of long paths.
 */
export const pathParts = ({ path, digest }: KeptPath): readonly Part[] =>
  digest === undefined ? [path] : ['', headOf(path), digest]

/**
 * The key of a record for a path of any length.
 *
 * @param owner - the part of the key before the path
 * @param rest - the parts after it
 */
export function pathKey(
  crypto: CryptoPort,
  of: Pick<Collection<unknown>, 'keyOf'>,
  owner: string,
  path: string,
  ...rest: readonly Part[]
): PathKey {
  const key = of.keyOf(owner, path, ...rest)
  // A UTF-16 unit has at most three bytes.
  if (key.length * 3 <= limits.keyBytes || utf8Length(key) <= limits.keyBytes) return { key, kept: { path } }
  const kept = { path, digest: toHex(crypto.sha256(path)) }
  return { key: of.keyOf(owner, ...pathParts(kept), ...rest), kept }
}

/**
 * The prefix of a long path, up to the character that reaches 700 bytes of the key; a shorter path unchanged. No head
 * is a prefix of another, so heads are in the order of their paths.
 */
export function headOf(path: string): string {
  let bytes = 0
  for (let at = 0; at < path.length; ) {
    const point = path.codePointAt(at) ?? 0
    at += point > 0xffff ? 2 : 1
    // Keys escape the first three characters.
    bytes += point < 3 ? 2 : point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4
    if (bytes >= headBytes) return path.slice(0, at)
  }
  return path
}
