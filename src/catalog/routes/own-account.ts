import * as z from 'zod'
import { reply } from '../../http/index.ts'
import { ownAccountOperations } from '../operations/own-account.ts'
import { ProofBody } from '../wire/bodies.ts'
import { access, credentialRoute } from './context.ts'

const root = '/plinth/v1/user'

/** What users change of their own account: authorised by the password, not by a token, which may be stolen. */
export const ownAccountRoutes = [
  credentialRoute({
    id: 'plinth.user.password',
    method: 'PUT',
    path: `${root}/password`,
    summary: 'Change your password, with the old one, and a two-factor code where one is needed',
    access: access.open,
    body: ProofBody.extend({ new_password: z.string() }),
    run: ownAccountOperations.changePassword,
    with: ({ body: { user, two_factor, new_password } }) => [user, new_password, { code: two_factor?.code }],
  }),
  credentialRoute({
    id: 'plinth.user.two-factor.begin',
    method: 'POST',
    path: `${root}/two-factor`,
    summary: 'Request the secret for a new authenticator, with your password',
    access: access.open,
    reply: z.strictObject({ secret: z.string(), url: z.string() }).meta({ id: 'TwoFactorSecret' }),
    body: ProofBody,
    run: ownAccountOperations.beginTwoFactor,
    with: ({ body: { user, two_factor } }) => [user, { code: two_factor?.code }],
    show: (begun) => reply(begun),
  }),
  credentialRoute({
    id: 'plinth.user.two-factor.confirm',
    method: 'PUT',
    path: `${root}/two-factor`,
    summary: 'Turn two-factor log-in on with the first code of the new authenticator',
    description: 'The answer holds ten recovery codes, this once. Each works once in place of a code.',
    access: access.open,
    reply: z.strictObject({ recovery_codes: z.array(z.string()) }).meta({ id: 'RecoveryCodes' }),
    body: ProofBody.extend({ new_code: z.string() }),
    run: ownAccountOperations.confirmTwoFactor,
    with: ({ body: { user, two_factor, new_code } }) => [user, new_code, { code: two_factor?.code }],
    show: (codes) => reply({ recovery_codes: codes }),
  }),
  credentialRoute({
    id: 'plinth.user.two-factor.end',
    method: 'POST',
    path: `${root}/two-factor/disable`,
    summary: 'Turn two-factor log-in off, with your password and a code or a recovery code',
    access: access.open,
    body: ProofBody,
    run: ownAccountOperations.endTwoFactor,
    with: ({ body: { user, two_factor } }) => [user, { code: two_factor?.code }],
  }),
]
