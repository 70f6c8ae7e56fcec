import { fromBase32, longestPassword, randomBase62, toBase32, verifyTotp } from '../../crypto/index.ts'
import { refuse } from '../../kernel/index.ts'
import { operation } from '../../operation/operation.ts'
import { saveUser } from '../accounts/save-user.ts'
import { beginTwoFactor, confirmTwoFactor, endTwoFactor } from '../accounts/two-factor.ts'
import type { Core } from '../service/core.ts'
import { credentials, logInCode, newCode, newPassword } from './arguments.ts'
import type { Credentials, LogInDetails } from './inputs.ts'
import { codeDigest, proven, proving } from './log-in.ts'

/** How many recovery codes an account gets. */
const recoveryCodes = 10
/** RFC 4226 recommends 160 bits. */
const secretBytes = 20

/** What users change of their own account, with their password and, if they have one, a two-factor code. */
export const ownAccountOperations = {
  /**
   * Changes the user's own password; tokens stay valid.
   *
   * @example await catalog.changePassword({ login: 'ada', password: 'correct horse' }, 'battery staple')
   */
  changePassword: operation({
    takes: [credentials, newPassword, logInCode],
    refuses: [...proving, 'password_too_long', 'password_too_short'],
    run: async (
      core: Core,
      credentials: Credentials,
      password: string,
      { code }: Pick<LogInDetails, 'code'> = {},
    ) => {
      if (password.length > longestPassword)
        return refuse('password_too_long', `Password is too long (maximum is ${longestPassword} characters)`)
      if (password.length < shortestPassword)
        return refuse(
          'password_too_short',
          `Password is too short (minimum is ${shortestPassword} characters)`,
        )
      const passwordHash = await core.crypto.hashPassword(password)
      return proven<undefined, never>(core, credentials, code, (account, env) => {
        const saved = saveUser(account, { username: account.username, passwordHash }, env)
        // None of the other fields is given, so none is refused.
        return saved.ok
          ? { ...saved, value: undefined }
          : { ok: true, state: account, value: undefined, events: [] }
      })
    },
  }),
  /**
   * Begins two-factor log-in with a new authenticator: returns the secret that it needs, and as a URL for a QR code.
   *
   * @example await catalog.beginTwoFactor({ login: 'ada', password: 'correct horse' })
   */
  beginTwoFactor: operation({
    takes: [credentials, logInCode],
    refuses: proving,
    run: async (core: Core, credentials: Credentials, { code }: Pick<LogInDetails, 'code'> = {}) => {
      const totpSecret = toBase32(core.crypto.randomBytes(secretBytes))
      return proven(core, credentials, code, (account, env) => {
        const begun = beginTwoFactor(account, { totpSecret }, env)
        if (!begun.ok) return begun
        const label = encodeURIComponent(`Plinth:${account.username}`)
        const url = `otpauth://totp/${label}?secret=${totpSecret}&issuer=Plinth`
        return { ...begun, value: { secret: totpSecret, url } }
      })
    },
  }),
  /**
   * Turns two-factor log-in on with a code of the new authenticator; returns recovery codes, of which each works once in
   * place of a code. They cannot be read again.
   *
   * @example await catalog.confirmTwoFactor({ login: 'bob', password: 'correct horse' }, code)
   */
  confirmTwoFactor: operation({
    takes: [credentials, newCode, logInCode],
    refuses: [...proving, 'two_factor_not_begun'],
    run: async (
      core: Core,
      credentials: Credentials,
      first: string,
      { code }: Pick<LogInDetails, 'code'> = {},
    ) => {
      const { crypto } = core
      const codes = Array.from({ length: recoveryCodes }, () => randomBase62(16, crypto.randomBytes))
      return proven(core, credentials, code, (account, env) => {
        const secret = fromBase32(account.enrolment?.totpSecret ?? '')
        const totpCounter = secret && verifyTotp(crypto, secret, first, env.now)
        const recovery = codes.map((each) => codeDigest(crypto, account, each))
        const confirmed = confirmTwoFactor(account, { totpCounter, recovery }, env)
        return confirmed.ok ? { ...confirmed, value: codes } : confirmed
      })
    },
  }),
  /**
   * Turns two-factor log-in off, with a code or a recovery code.
   *
   * @example await catalog.endTwoFactor({ login: 'dan', password: 'correct horse' }, { code: recoveryCode })
   */
  endTwoFactor: operation({
    takes: [credentials, logInCode],
    refuses: proving,
    run: (core: Core, credentials: Credentials, { code }: Pick<LogInDetails, 'code'> = {}) =>
      proven(core, credentials, code, (account, env) => endTwoFactor(account, {}, env)),
  }),
}

/** NIST SP 800-63B requires eight characters of passwords that users choose. */
const shortestPassword = 8
