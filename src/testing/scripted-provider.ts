import * as z from 'zod'
import { parsedJson } from '../kernel/decoded.ts'
import { type Refused, refuse } from '../kernel/index.ts'
import { firstFault, strict } from '../operation/known-fields.ts'
import type { GroupsAnswer, IdpProvider, ProviderAnswer } from '../secrets/idp/index.ts'

const Factor = strict({
  /** `totp`: a passcode; `push`: a question on another device; any other name is a factor that cannot be used here. */
  type: z.string().min(1),
  /** `GOOGLE` or `IDP`; `IDP` by default. */
  provider: z.string().default('IDP'),
  /** The passcode that a `totp` factor takes. */
  passcode: z.string().default('123456'),
  /** How a `push` ends: `approve`, `reject`, `timeout`, or `never`. */
  result: z.enum(['approve', 'reject', 'timeout', 'never']).default('approve'),
  /** How often a `push` is still waiting before that. */
  polls: z.int().min(0).default(2),
  /** The number to choose on the other device; omitted if there is no number challenge. */
  number: z.int().min(0).max(99).optional(),
})

const User = strict({
  password: z.string().min(1),
  /** The answer to the right password; by default `SUCCESS`, or `MFA_REQUIRED` for a user with factors. */
  status: z.string().optional(),
  groups: z.array(z.string()).default([]),
  factors: z.array(Factor).default([]),
  /** Whether asking about this user finds no provider. */
  unreachable: z.boolean().default(false),
})

/**
 * A scripted identity provider: its users by name, with password, groups and second factors.
 *
 * @remarks
 * ```json
 * { "users": {
 *   "ada": { "password": "hunter2", "groups": ["dev"],
 *            "factors": [{ "type": "totp", "provider": "GOOGLE", "passcode": "123456" },
 *                        { "type": "push", "number": 42, "polls": 3, "result": "approve" }] },
 *   "eve": { "password": "late", "status": "PASSWORD_EXPIRED" } } }
 * ```
 */
export const IdpScript = strict({ users: z.record(z.string(), User) })
export interface IdpScript extends z.input<typeof IdpScript> {}

/**
 * Reads a script from JSON text, for `plinth serve --idp-script FILE`.
 *
 * @returns the script, or `idp_script_invalid` with the path of the problem
 *
 * @example
 * ```ts
 * import { readIdpScript } from 'plinth/testing'
 *
 * readIdpScript('{"users": {"ada": {"password": "hunter2"}}}').ok // true
 * readIdpScript('{"users": {"ada": {}}}').ok // false
 * ```
 */
export function readIdpScript(
  text: string,
): { readonly ok: true; readonly value: IdpScript } | Refused<'idp_script_invalid'> {
  const json = parsedJson(text)
  if (json === undefined) return refuse('idp_script_invalid', 'the identity-provider script is not JSON')
  const read = IdpScript.safeParse(json)
  if (read.success) return { ok: true, value: read.data }
  return refuse('idp_script_invalid', faultOf(read.error))
}

const faultOf = (error: z.ZodError): string => {
  const { path, message } = firstFault(error)
  return `${path || 'the script'}: ${message}`
}

/**
 * A scripted identity provider, for tests and for trying a login manually.
 *
 * @throws TypeError that names the problem in the script
 *
 * @example
 * ```ts
 * import { scriptedProvider } from 'plinth/testing'
 *
 * const provider = scriptedProvider({ users: { ada: { password: 'hunter2', groups: ['dev'] } } })
 * const org = { orgName: 'acme', baseUrl: '', apiToken: 't' }
 * const signal = new AbortController().signal
 * const said = await provider.authenticate({ org, username: 'ada', password: 'hunter2', signal })
 * said.kind === 'step' && said.status // 'SUCCESS'
 * ```
 */
export function scriptedProvider(script: IdpScript): IdpProvider {
  const read = IdpScript.safeParse(script)
  if (!read.success) throw new TypeError(`scriptedProvider: ${faultOf(read.error)}`)
  const users = new Map(Object.entries(read.data.users))
  /** State token → whose login it is, and how often its push was asked about. */
  const logins = new Map<string, { readonly username: string; polls: number }>()
  let made = 0

  return {
    authenticate: async ({ username, password }) => {
      const user = users.get(username)
      if (user?.unreachable) return unreachable
      if (user === undefined || user.password !== password) return wrongPassword
      const factors = user.factors.map(({ type, provider }, at) => ({
        id: `${username}-${at}`,
        type: type === 'totp' ? 'token:software:totp' : type,
        provider: provider.toUpperCase(),
      }))
      made += 1
      const stateToken = `state-${made}`
      logins.set(stateToken, { username, polls: 0 })
      const status = user.status ?? (factors.length > 0 ? 'MFA_REQUIRED' : 'SUCCESS')
      return { kind: 'step', status, stateToken, userId: username, factors }
    },
    verifyFactor: async ({ factorId, stateToken, passcode }): Promise<ProviderAnswer> => {
      const login = logins.get(stateToken)
      const user = login && users.get(login.username)
      const factor = user?.factors[Number(factorId.slice((login?.username.length ?? 0) + 1))]
      if (login === undefined || factor === undefined) return noSuchLogin
      const done: ProviderAnswer = { kind: 'step', status: 'SUCCESS', userId: login.username }
      if (factor.type === 'totp') return passcode === factor.passcode ? done : wrongPasscode
      login.polls += 1
      const stillOpen = factor.result === 'never' || login.polls <= factor.polls
      if (stillOpen) return { ...waiting, stateToken, correctAnswer: factor.number }
      if (factor.result === 'approve') return done
      return { ...waiting, stateToken, factorResult: factor.result === 'reject' ? 'REJECTED' : 'TIMEOUT' }
    },
    listGroups: async ({ userId }): Promise<GroupsAnswer> => ({
      kind: 'groups',
      names: users.get(userId)?.groups ?? [],
    }),
  }
}

const unreachable = { kind: 'failure', message: 'the provider cannot be reached' } as const
const wrongPassword = { kind: 'verdict', message: 'Authentication failed', code: 'E0000004' } as const
const wrongPasscode = { kind: 'verdict', message: 'Invalid Passcode/Answer', code: 'E0000068' } as const
const noSuchLogin = { kind: 'verdict', message: 'Invalid token provided', code: 'E0000011' } as const
const waiting = { kind: 'step', status: 'MFA_CHALLENGE', factorResult: 'WAITING' } as const
