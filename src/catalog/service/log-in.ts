import { fromBase32, randomBase62, toHex, verifyTotp } from '../../crypto/index.ts'
import { type Answer, type Refused, refuse } from '../../kernel/index.ts'
import type { Snapshot } from '../../store/index.ts'
import { host } from '../accounts/access.ts'
import { badCredentials, type LogInRefusal, logIn, spendTry } from '../accounts/log-in.ts'
import type { Account } from '../accounts/model.ts'
import { maskPhone, requestCode } from '../accounts/request-code.ts'
import { foldName } from '../boxes/names.ts'
import { accounts } from '../records.ts'
import { boundedQueue } from './bounded-queue.ts'
import { type Core, change, snapshot, tell } from './core.ts'
import { descriptionProblem, type NewToken, type TokenMethods } from './tokens.ts'

/**
 * Name or e-mail address, and password.
 *
 * @public
 */
export interface Credentials {
  readonly login: string
  readonly password: string
}

/**
 * What can be done by who knows a password.
 *
 * @public
 */
export interface LogInMethods {
  /** Makes a token for whoever knows the password, and the two-factor code where one is needed. */
  readonly logIn: (
    credentials: Credentials,
    input?: { readonly description?: string | undefined; readonly code?: string | undefined },
  ) => Promise<Answer<NewToken, LogInRefusal | 'text_too_long' | 'busy' | 'contended'>>
  /** Delivers a two-factor code to whoever knows the password. */
  readonly requestCode: (
    credentials: Credentials,
    input: { readonly deliveryMethod: string },
  ) => Promise<
    Answer<
      { readonly obfuscatedDestination: string },
      'bad_credentials' | 'two_factor_disabled' | 'unsupported_delivery' | 'busy' | 'contended'
    >
  >
}

export function logInMethods(core: Core, createToken: TokenMethods['createToken']): LogInMethods {
  const { crypto } = core
  const digestOf = (username: string, code: string) =>
    toHex(crypto.hmac('sha256', codeKey, `${username} ${code}`))

  const hashing = boundedQueue({ atOnce: hashedAtOnce, waiting: longestLine })
  // An unknown user costs as much time as a wrong password: who exists is not told by the clock.
  let decoy: Promise<string> | undefined
  const passwordMatches = (account: Account | undefined, password: string) =>
    hashing(async (): Promise<boolean> => {
      decoy ??= crypto.hashPassword(randomBase62(24, crypto.randomBytes))
      const hash = account?.passwordHash ?? (await decoy)
      return (await crypto.verifyPassword(password, hash)) && account?.passwordHash != null
    })

  return {
    logIn: async ({ login, password }, { description = '', code } = {}) => {
      // Before a code is spent.
      const unsound = descriptionProblem(description)
      if (unsound) return unsound
      const known = findByLogin(await snapshot(core), login)
      const matches = await passwordMatches(known, password)
      if (matches === undefined) return busy
      if (!known) return refuse('bad_credentials', badCredentials)
      const username = foldName(known.username)
      const decided = await change<{ readonly username: string } | Refused<LogInRefusal>, LogInRefusal>(
        core,
        host,
        (tx, env) => {
          const account = tx.get(accounts, username)?.value
          if (!account || account.passwordHash !== known.passwordHash)
            return refuse('bad_credentials', badCredentials)
          const secret = account.twoFactor?.totpSecret ? fromBase32(account.twoFactor.totpSecret) : undefined
          const outcome = logIn(
            account,
            {
              passwordMatches: matches,
              hasCode: code !== undefined && code !== '',
              totpCounter: secret && code ? verifyTotp(crypto, secret, code, env.now) : undefined,
              codeDigest: code ? digestOf(username, code) : undefined,
              canDeliver: core.deliverCode !== undefined,
            },
            env,
          )
          if (outcome.ok) {
            tx.put(accounts, outcome.state)
            return outcome
          }
          if (outcome.refusal.code !== 'bad_code') return outcome
          // A wrong guess is paid for, so this refusal has to be committed.
          tx.put(accounts, spendTry(account, {}, env).state)
          return { ok: true, value: outcome, events: [] }
        },
      )
      const refused = decided.ok ? ('refusal' in decided.value ? decided.value : undefined) : decided
      if (refused) {
        const now = core.env().now
        if (refused.refusal.code !== 'two_factor_required')
          tell(core, host, [{ type: 'login.refused', username: known.username }], now)
        return refused
      }
      const issued = await createToken(username, { description })
      if (issued.ok) return issued
      const { code: why, message } = issued.refusal
      return why === 'not_found' ? refuse('bad_credentials', badCredentials) : refuse(why, message)
    },

    requestCode: async ({ login, password }, { deliveryMethod }) => {
      const known = findByLogin(await snapshot(core), login)
      const matches = await passwordMatches(known, password)
      if (matches === undefined) return busy
      if (!known) return refuse('bad_credentials', badCredentials)
      const username = foldName(known.username)
      const code = sixDigits(crypto.randomBytes)
      const decided = await change(core, host, (tx, env) => {
        const account = tx.get(accounts, username)?.value
        if (!account || account.passwordHash !== known.passwordHash)
          return refuse('bad_credentials', badCredentials)
        const input = {
          passwordMatches: matches,
          deliveryMethod,
          canDeliver: core.deliverCode !== undefined,
          codeDigest: digestOf(username, code),
        }
        const outcome = requestCode(account, input, env)
        if (outcome.ok) tx.put(accounts, outcome.state)
        return outcome
      })
      if (!decided.ok) return decided
      const { phone } = decided.value
      const told = await core.deliverCode?.({ username: known.username, method: 'sms', phone, code })
      return { ok: true, value: told ?? { obfuscatedDestination: maskPhone(phone ?? '') } }
    },
  }
}

/** The account of a user name or an e-mail address. What is too long to be either is nobody's. */
const findByLogin = (now: Snapshot, login: string): Account | undefined => {
  if (login === '' || login.length > 320) return undefined
  const found = login.includes('@')
    ? accounts.find(now, 'email', foldName(login))
    : accounts.get(now, foldName(login))
  return found?.value
}

/** The host hashes on the few threads that it reads and writes files with. */
const hashedAtOnce = 2
const longestLine = 500

const busy = refuse('busy', 'Too many are logging in at the same time: try again', { retryAfterSeconds: 10 })

const codeKey = new TextEncoder().encode('plinth catalog two-factor code')

/** A number from 000000 to 999999; 4 bytes are so many that a million divides them evenly enough. */
function sixDigits(randomBytes: (length: number) => Uint8Array): string {
  const [a = 0, b = 0, c = 0, d = 0] = randomBytes(4)
  return String((((a << 24) | (b << 16) | (c << 8) | d) >>> 0) % 1_000_000).padStart(6, '0')
}
