import { fromHex, toHex } from '../crypto/index.ts'
import type { RegistryParts } from './operations/parts.ts'
import { type SigningKey, signingKeys } from './records.ts'

/** The key of a use: created when it is first needed, and the same on every server. */
export async function signingKey(
  { present, commit, crypto }: Pick<RegistryParts, 'present' | 'commit' | 'crypto'>,
  use: SigningKey['use'],
): Promise<Uint8Array> {
  const known = signingKeys.get((await present()).now, use)?.value.key
  const made = toHex(crypto.randomBytes(32))
  const stored =
    known ??
    (await commit((tx) => {
      const key = tx.get(signingKeys, use)?.value.key ?? made
      if (key === made) tx.put(signingKeys, { use, key })
      return { ok: true, value: key, events: [] }
    }))
  const text = typeof stored === 'string' ? stored : stored.ok ? stored.value : made
  const key = fromHex(text)
  if (key === undefined) throw new Error(`the key for ${use} is damaged`)
  return key
}
