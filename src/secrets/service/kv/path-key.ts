import { type CryptoPort, toHex } from '../../../crypto/index.ts'
import { type Collection, limits, type Part } from '../../../store/index.ts'
import { utf8Length } from '../../../store/port/keys.ts'

/** A path as a record keeps it. */
export interface KeptPath {
  readonly path: string
  /** The SHA-256 of a path that is too long to be part of the record's key; omitted for all others. */
  readonly digest?: string
}

/** A record's key, and its path as it is kept there. */
export interface PathKey {
  readonly key: string
  readonly kept: KeptPath
}

/** The size of a head. A digest and the names beside it need the rest of a key's 1,024 bytes. */
const headBytes = 700

/**
 * The parts of a key that stand for a path: the path itself, or the head and the digest of one that does not fit. A path
 * is never empty, so that no other key begins like those of long paths.
 */
export const pathParts = ({ path, digest }: KeptPath): readonly Part[] =>
  digest === undefined ? [path] : ['', headOf(path), digest]

/**
 * The key of a record for a path of any length.
 *
 * @param owner - the part of the key before the path
 * @param rest - the parts behind it
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
 * The beginning of a long path, up to the character that reaches 700 bytes of the key; a shorter path as it is. No head
 * begins with another head, so heads are in the order of their paths.
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
