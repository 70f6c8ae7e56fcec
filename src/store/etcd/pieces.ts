import type { Session, Stored } from './realm.ts'
import { encode } from './wire.ts'

/**
 * What a transaction of etcd may hold: its limit is 1.5 MB. A commit has 64 values of up to `inline` bytes and 320 keys of
 * up to 1 KiB, and its larger values are in pieces of their own; those of more than `together` bytes are sent before.
 */
export const bytesOf = { transaction: 900_000, inline: 8 * 1024, piece: 700_000, together: 300_000 }

/** The last write of a key by a batch: its entry, or `undefined` for a deletion. */
export type Written = (Omit<Stored, 'pieces'> & { readonly isLarge: boolean }) | undefined

/** A large value, in parts that fit a request each. */
export interface Pieces {
  readonly text: string
  readonly name: string
  readonly parts: readonly { readonly key: string; readonly value: string }[]
  isSent: boolean
}

/**
 * The large values of a transaction. If they do not fit it, they are sent before, under a lease that the commit
 * releases.
 */
export function largeValues({ client, keys, newName }: Session) {
  const all = new Map<string, Pieces>()
  let lease: string | undefined
  const piecesOf = ({ key, text }: NonNullable<Written>): Pieces => {
    const known = all.get(key)
    if (known?.text === text) return known
    const [name, bytes] = [newName(), Buffer.from(text)]
    const pieces = { name, parts: partsOf(`${keys.pieces}${name}/`, bytes), text, isSent: false }
    all.set(key, pieces)
    return pieces
  }
  return {
    piecesOf,
    send: async (written: readonly Written[]) => {
      const large = written.flatMap((entry) => (entry?.isLarge ? [entry] : []))
      if (large.reduce((sum, { text }) => sum + text.length, 0) <= bytesOf.together) return
      for (const pieces of large.map(piecesOf)) {
        if (pieces.isSent) continue
        lease ??= (await client.call<{ ID: string }>('/v3/lease/grant', { TTL: '600' })).ID
        for (const part of pieces.parts) await client.call('/v3/kv/put', { ...part, lease })
        pieces.isSent = true
      }
    },
    /** Removes what no commit took. */
    release: () => {
      if (lease !== undefined) client.call('/v3/lease/revoke', { ID: lease }).catch(() => undefined)
    },
  }
}

export function partsOf(prefix: string, bytes: Buffer): { readonly key: string; readonly value: string }[] {
  return Array.from({ length: Math.ceil(bytes.length / bytesOf.piece) }, (_, at) => ({
    key: encode(prefix + String(at).padStart(4, '0')),
    value: bytes.subarray(at * bytesOf.piece, (at + 1) * bytesOf.piece).toString('base64'),
  }))
}
