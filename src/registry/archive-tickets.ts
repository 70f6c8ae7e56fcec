import { equalTexts, fromHex, toHex } from '../crypto/index.ts'
import type { RegistryParts } from './operations/parts.ts'
import { signingKeys } from './records.ts'

/** How long the URL of an archive is valid. */
const validSeconds = 15 * 60

/**
 * URLs of archives that work for a limited time without a token. Clients send their token to the registry, but not to
 * the download URLs that it returns.
 */
export interface ArchiveTickets {
  /** @param archive - the id of its bytes */
  readonly make: (archive: string) => Promise<string>
  readonly isValid: (ticket: string, archive: string) => Promise<boolean>
}

export function archiveTickets({
  present,
  commit,
  crypto,
  env,
}: Pick<RegistryParts, 'present' | 'commit' | 'crypto' | 'env'>): ArchiveTickets {
  const keyOf = async () => {
    const known = signingKeys.get((await present()).now, 'archives')?.value.key
    if (known !== undefined) return fromHex(known)
    const made = toHex(crypto.randomBytes(32))
    const stored = await commit((tx) => {
      const key = tx.get(signingKeys, 'archives')?.value.key ?? made
      if (key === made) tx.put(signingKeys, { use: 'archives', key })
      return { ok: true, value: key, events: [] }
    })
    return fromHex(stored.ok ? stored.value : made)
  }
  const signed = async (archive: string, until: string): Promise<string> => {
    const key = await keyOf()
    if (key === undefined) throw new Error('the key that signs addresses of archives is damaged')
    return toHex(crypto.hmac('sha256', key, `${archive} ${until}`))
  }
  return {
    make: async (archive) => {
      const until = String(Math.floor(env().now / 1000) + validSeconds)
      return `${until}-${await signed(archive, until)}`
    },
    isValid: async (ticket, archive) => {
      const [, until = '', signature = ''] = /^(\d{1,12})-([0-9a-f]{64})$/.exec(ticket) ?? []
      if (until === '' || Number(until) * 1000 < env().now) return false
      return equalTexts(signature, await signed(archive, until))
    },
  }
}
