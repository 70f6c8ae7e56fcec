import { equalTexts, toHex } from '../crypto/index.ts'
import type { RegistryParts } from './operations/parts.ts'
import { signingKey } from './signing-key.ts'

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

export function archiveTickets(
  parts: Pick<RegistryParts, 'present' | 'commit' | 'crypto' | 'env'>,
): ArchiveTickets {
  const { crypto, env } = parts
  const signed = async (archive: string, until: string): Promise<string> => {
    const key = await signingKey(parts, 'archives')
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
