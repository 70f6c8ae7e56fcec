import { type CryptoPort, randomBase62 } from '../../../crypto/index.ts'
import { fairQueue } from '../../../kernel/fair-queue.ts'
import type { UserpassUser } from '../../userpass/model.ts'

/** The host hashes on the same few threads as its file I/O. */
const hashedAtOnce = 2
const longestQueue = 4000

/** Creates the password check of one service. */
export function passwordCheck(crypto: CryptoPort) {
  const hashing = fairQueue({ concurrent: hashedAtOnce, waiting: longestQueue })
  // An unknown user takes as much time as a wrong password, so that timing does not reveal which users exist.
  let decoy: Promise<string> | undefined
  /**
   * Whether a password is that of a user; `undefined` if too many checks are running.
   *
   * @param lane - the key of the fair queue: concurrent logins take turns by lane
   */
  return (user: UserpassUser | undefined, password: string, lane: string): Promise<boolean> | undefined =>
    hashing(lane, async () => {
      decoy ??= crypto.hashPassword(randomBase62(24, crypto.randomBytes))
      const hash = user?.passwordHash ?? (await decoy)
      return (await crypto.verifyPassword(password, hash)) && user !== undefined
    })
}
