import { type CryptoPort, randomBase62 } from '../../crypto/index.ts'
import type { Account } from '../accounts/model.ts'
import { boundedQueue } from './bounded-queue.ts'

/** The host hashes on the same few threads as its file I/O. */
const hashedAtOnce = 2
const longestLine = 500

/** Whether a password is that of an account; `undefined` if too many checks are running. */
export type PasswordCheck = (account: Account | undefined, password: string) => Promise<boolean> | undefined

/** Creates the password check of a catalog. */
export function passwordCheck(crypto: CryptoPort): PasswordCheck {
  const hashing = boundedQueue({ concurrent: hashedAtOnce, waiting: longestLine })
  // An unknown user takes as much time as a wrong password, so that timing does not reveal which users exist.
  let decoy: Promise<string> | undefined
  return (account, password) =>
    hashing(async () => {
      decoy ??= crypto.hashPassword(randomBase62(24, crypto.randomBytes))
      const hash = account?.passwordHash ?? (await decoy)
      return (await crypto.verifyPassword(password, hash)) && account?.passwordHash != null
    })
}
