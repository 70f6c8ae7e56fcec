import { unwrap } from '../../../kernel/index.ts'
import type { Core } from '../core/core.ts'
import { done } from '../core/decision.ts'
import { approleExpiries, approleSecretIds, deleteSecretId } from './records.ts'

/** Secret IDs removed per commit: each is three keys. */
const batch = 16

/** Removes expired secret IDs. */
export interface SecretIdExpiry {
  /** Removes some expired ones; returns their number. */
  readonly expire: () => Promise<number>
  /** When the next one expires; `undefined` if none does. */
  readonly next: () => Promise<number | undefined>
}

export const secretIdExpiry = (core: Core): SecretIdExpiry => ({
  expire: async () =>
    unwrap(
      await core.commit((tx, { now }) => {
        const expired = tx.now
          .scan({ prefix: approleExpiries.prefix, limit: batch })
          .map((entry) => approleExpiries.stored(entry).value)
          .filter(({ at }) => at <= now)
        for (const { at, mount, role, digest } of expired) {
          const found = tx.get(approleSecretIds, mount, role, digest)?.value.secretId
          // Its role may have been deleted, and with it the secret ID.
          if (found?.expiresAt === at) deleteSecretId(tx, { mount, role }, found)
          else tx.delete(approleExpiries, at, mount, role, digest)
        }
        return done(expired.length)
      }),
    ),
  next: async () => {
    const [first] = (await core.fresh()).scan({ prefix: approleExpiries.prefix, limit: 1 })
    return first && approleExpiries.stored(first).value.at
  },
})
