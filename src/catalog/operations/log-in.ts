import { type CryptoPort, fromBase32, toHex, verifyTotp } from '../../crypto/index.ts'
import { answer, type Env, type Outcome, type Refused, refuse } from '../../kernel/index.ts'
import { operation } from '../../operation/operation.ts'
import type { Snapshot, Tx } from '../../store/index.ts'
import { host } from '../accounts/access.ts'
import { badCredentials, type LogInRefusal, logIn, spendTry } from '../accounts/log-in.ts'
import type { Account } from '../accounts/model.ts'
import { maskPhone, requestCode } from '../accounts/request-code.ts'
import { foldName } from '../boxes/names.ts'
import type { CatalogEvent } from '../events.ts'
import { accounts } from '../records.ts'
import { type Core, change, snapshot, tell } from '../service/core.ts'
import { credentials, delivery, logInDetails } from './arguments.ts'
import type { Credentials, LogInDetails } from './inputs.ts'
import { descriptionProblem, tokenOperations } from './tokens.ts'

const badLogIn = refuse('bad_credentials', badCredentials)
const busy = refuse('busy', 'Too many logins at the same time: try again', { retryAfterSeconds: 10 })

/** The account of some credentials, and whether the password is right. */
async function identify(core: Core, { login, password }: Credentials) {
  const { now } = core.env()
  const waitMs = core.wrongPasswords.waitMs(login, now)
  if (waitMs > 0) {
    const retryAfterSeconds = Math.ceil(waitMs / 1000)
    return refuse(
      'too_many_passwords',
      `Too many wrong passwords for this user name: wait ${retryAfterSeconds} seconds before the next one`,
      { retryAfterSeconds },
    )
  }
  const known = findByLogin(await snapshot(core), login)
  const passwordMatches = await core.passwordMatches(known, password)
  if (passwordMatches === undefined) return busy
  if (passwordMatches) core.wrongPasswords.right(login)
  else core.wrongPasswords.wrong(login, now)
  return known ? { ok: true as const, known, passwordMatches } : badLogIn
}

/** The current account, unless its password was changed since it was checked. */
function unchanged(tx: Tx, known: Account): Account | undefined {
  const account = tx.get(accounts, foldName(known.username))?.value
  return account?.passwordHash === known.passwordHash ? account : undefined
}

/** The refusals of every operation that a password, and perhaps a code, authorises. */
export const proving = [
  'bad_credentials',
  'two_factor_required',
  'bad_code',
  'too_many_codes',
  'too_many_passwords',
  'busy',
  'contended',
] as const

/**
 * Decides on the account of a user whose password is right, and whose two-factor code is, if one is required. The use of
 * the code and the decision are one commit.
 */
export async function proven<Value, Code extends string>(
  core: Core,
  credentials: Credentials,
  code: string | undefined,
  decide: (account: Account, env: Env) => Outcome<Account, Value, CatalogEvent, Code>,
) {
  const identified = await identify(core, credentials)
  if (!identified.ok) return identified
  const { known, passwordMatches } = identified
  const { crypto } = core
  const acting = actingAs(core, known)
  type Refusal = Refused<LogInRefusal | Code>
  const decided = await change<{ readonly decision: Value } | Refusal, LogInRefusal | Code>(
    acting,
    (tx, env) => {
      const account = unchanged(tx, known)
      if (!account) return badLogIn
      const secret = account.twoFactor?.totpSecret ? fromBase32(account.twoFactor.totpSecret) : undefined
      const outcome = logIn(
        account,
        {
          passwordMatches,
          hasCode: code !== undefined && code !== '',
          totpCounter: secret && code ? verifyTotp(crypto, secret, code, env.now) : undefined,
          codeDigest: code ? codeDigest(crypto, known, code) : undefined,
          canDeliver: core.deliverCode !== undefined,
        },
        env,
      )
      if (outcome.ok) {
        const done = decide(outcome.state, env)
        // The code is used up either way.
        tx.put(accounts, done.ok ? done.state : outcome.state)
        return {
          ok: true,
          value: done.ok ? { decision: done.value } : done,
          events: done.ok ? done.events : [],
        }
      }
      if (outcome.refusal.code !== 'bad_code') return outcome
      // A wrong guess uses up a try, so this refusal has to be committed.
      tx.put(accounts, spendTry(account, {}, env).state)
      return { ok: true, value: outcome, events: [] }
    },
  )
  if (decided.ok && 'decision' in decided.value) return { ok: true as const, value: decided.value.decision }
  const refused = decided.ok ? (decided.value as Refusal) : decided
  if (refused.refusal.code !== 'two_factor_required')
    tell(core, host, { type: 'login.refused', username: known.username })
  return refused
}

const actingAs = (core: Core, { username }: Account): Core =>
  Object.assign({}, core, { caller: { kind: 'user', username } as const })

/** Operations authorised by a password. */
export const logInOperations = {
  /**
   * Creates a token for a username and password, and a two-factor code if required.
   *
   * @example await catalog.logIn({ login: 'ada', password: 'correct horse' })
   */
  logIn: operation({
    takes: [credentials, logInDetails],
    refuses: [...proving, 'text_too_long'],
    run: async (core: Core, credentials: Credentials, { description = '', code }: LogInDetails = {}) => {
      // Before a code is used up.
      const unsound = descriptionProblem(description)
      if (unsound) return unsound
      const proof = await proven<Account, never>(core, credentials, code, (account) =>
        answer(account, account),
      )
      if (!proof.ok) return proof
      const { username } = proof.value
      const issued = await tokenOperations.createToken.run(actingAs(core, proof.value), username, {
        description,
      })
      if (issued.ok) return issued
      const { code: why, message } = issued.refusal
      return why === 'not_found' || why === 'invalid_token' ? badLogIn : refuse(why, message)
    },
  }),
  /**
   * Delivers a two-factor code to a user whose password is right.
   *
   * @example await catalog.requestCode({ login: 'eve', password: 'correct horse' }, { deliveryMethod: 'sms' })
   */
  requestCode: operation({
    takes: [credentials, delivery],
    refuses: [
      'bad_credentials',
      'two_factor_disabled',
      'unsupported_delivery',
      'too_many_passwords',
      'busy',
      'contended',
    ],
    run: async (
      core: Core,
      credentials: Credentials,
      { deliveryMethod }: { readonly deliveryMethod: string },
    ) => {
      const identified = await identify(core, credentials)
      if (!identified.ok) return identified
      const { known, passwordMatches } = identified
      const code = sixDigits(core.crypto.randomBytes)
      const decided = await change(core, (tx, env) => {
        const account = unchanged(tx, known)
        if (!account) return badLogIn
        const input = {
          passwordMatches,
          deliveryMethod,
          canDeliver: core.deliverCode !== undefined,
          codeDigest: codeDigest(core.crypto, known, code),
        }
        const outcome = requestCode(account, input, env)
        if (outcome.ok) tx.put(accounts, outcome.state)
        return outcome
      })
      if (!decided.ok) return decided
      const { phone } = decided.value
      const delivery = await core.deliverCode?.({ username: known.username, method: 'sms', phone, code })
      const value: { readonly obfuscatedDestination: string } = delivery ?? {
        obfuscatedDestination: maskPhone(phone ?? ''),
      }
      return { ok: true as const, value }
    },
  }),
}

/** The account of a user name or an e-mail address. A login that is too long to be either is unknown. */
const findByLogin = (now: Snapshot, login: string): Account | undefined => {
  if (login === '' || login.length > 320) return undefined
  const found = login.includes('@')
    ? accounts.find(now, 'email', foldName(login))
    : accounts.get(now, foldName(login))
  return found?.value
}

const codeKey = new TextEncoder().encode('plinth catalog two-factor code')

/** The digest of a two-factor code of an account. */
export const codeDigest = (crypto: CryptoPort, { username }: Account, code: string): string =>
  toHex(crypto.hmac('sha256', codeKey, `${foldName(username)} ${code}`))

/** A number from 000000 to 999999; the bias of 4 bytes modulo a million is negligible. */
function sixDigits(randomBytes: (length: number) => Uint8Array): string {
  const [a = 0, b = 0, c = 0, d = 0] = randomBytes(4)
  return String((((a << 24) | (b << 16) | (c << 8) | d) >>> 0) % 1_000_000).padStart(6, '0')
}
