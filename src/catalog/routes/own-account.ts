import * as z from 'zod'
import { noContent } from '../../http/index.ts'
import { ownAccountOperations } from '../operations/own-account.ts'
import { ProofBody } from '../wire/bodies.ts'
import { waiting } from './accounts.ts'
import { access, answered, define } from './context.ts'

const root = '/plinth/v1/user'

/** What users change of their own account: authorised by the password, not by a token, which may be stolen. */
export const ownAccountRoutes = [
  define({
    id: 'plinth.user.password',
    method: 'PUT',
    path: `${root}/password`,
    summary: 'Change your password, with the old one, and a two-factor code where one is needed',
    access: access.open,
    runs: [ownAccountOperations.changePassword],
    success: 204,
    body: ProofBody.extend({ new_password: z.string() }),
    handle: async ({ context, body: { user, two_factor, new_password } }) => {
      const code = two_factor?.code
      const changed = waiting(await context.credentials.changePassword(user, new_password, { code }))
      return changed.ok ? noContent() : changed
    },
  }),
  define({
    id: 'plinth.user.two-factor.begin',
    method: 'POST',
    path: `${root}/two-factor`,
    summary: 'Request the secret for a new authenticator, with your password',
    access: access.open,
    runs: [ownAccountOperations.beginTwoFactor],
    reply: z.strictObject({ secret: z.string(), url: z.string() }).meta({ id: 'TwoFactorSecret' }),
    body: ProofBody,
    handle: async ({ context, body: { user, two_factor } }) =>
      answered(
        waiting(await context.credentials.beginTwoFactor(user, { code: two_factor?.code })),
        (begun) => begun,
      ),
  }),
  define({
    id: 'plinth.user.two-factor.confirm',
    method: 'PUT',
    path: `${root}/two-factor`,
    summary: 'Turn two-factor log-in on with the first code of the new authenticator',
    description: 'The answer holds ten recovery codes, this once. Each works once in place of a code.',
    access: access.open,
    runs: [ownAccountOperations.confirmTwoFactor],
    reply: z.strictObject({ recovery_codes: z.array(z.string()) }).meta({ id: 'RecoveryCodes' }),
    body: ProofBody.extend({ new_code: z.string() }),
    handle: async ({ context, body: { user, two_factor, new_code } }) => {
      const code = two_factor?.code
      const confirmed = waiting(await context.credentials.confirmTwoFactor(user, new_code, { code }))
      return answered(confirmed, (codes) => ({ recovery_codes: codes }))
    },
  }),
  define({
    id: 'plinth.user.two-factor.end',
    method: 'POST',
    path: `${root}/two-factor/disable`,
    summary: 'Turn two-factor log-in off, with your password and a code or a recovery code',
    access: access.open,
    runs: [ownAccountOperations.endTwoFactor],
    success: 204,
    body: ProofBody,
    handle: async ({ context, body: { user, two_factor } }) => {
      const ended = waiting(await context.credentials.endTwoFactor(user, { code: two_factor?.code }))
      return ended.ok ? noContent() : ended
    },
  }),
]
