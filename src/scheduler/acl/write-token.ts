import { checkArguments } from '../../kernel/check-arguments.ts'
import { type Env, type Outcome, parseDuration, refuse } from '../../kernel/index.ts'
import { rfc3339 } from '../values/instants.ts'
import type { AclTokenRecord, AclTokenWrite } from './model.ts'
import { policyName } from './policy.ts'

/**
 * A token was created or changed. The event does not contain its secret.
 */
export interface TokenWritten {
  readonly type: 'acl.token-created' | 'acl.token-updated'
  readonly accessor: string
}

/** The limits of a token's TTL, in milliseconds. */
const lifetime = { least: 60_000, most: 86_400_000 }

/** Returns what is wrong with the fields of a token. */
function tokenProblem({ Name, Type, Policies, Roles }: AclTokenWrite): string | undefined {
  if (Name.length > 256) return 'token name too long'
  if (Type !== 'client' && Type !== 'management') return 'token type must be client or management'
  const isPlain = Policies.length === 0 && Roles.length === 0
  if (Type === 'client' && isPlain) return 'client token missing policies or roles'
  if (Type === 'management' && !isPlain) return 'management token cannot be associated with policies or roles'
  const unfit = Policies.find((name) => !policyName.test(name))
  if (unfit !== undefined)
    return `invalid policy name ${JSON.stringify(unfit)}, a name has 1 to 128 letters, digits and hyphens`
  return undefined
}

/**
 * Creates a token from generated identifiers.
 *
 * @param _token - undefined, because the token is new
 * @param input - the fields of the token; its policies may be written later, and grant nothing until then
 *
 * @returns the token with its secret, or `invalid_acl_token` with all problems of the input
 *
 * @example
 * ```ts
 * import { unwrap } from 'plinth'
 * import { AclTokenWrite, createToken } from 'plinth/scheduler'
 *
 * const env = { now: Date.UTC(2026, 0, 1), newId: () => 'a' }
 * const wish = (Policies: readonly string[]) => ({
 *   write: AclTokenWrite.parse({ Type: 'client', Policies, ExpirationTTL: '8h' }),
 *   accessor: 'a1',
 *   secret: 's1',
 * })
 * const made = createToken(undefined, wish(['dev']), env)
 * unwrap(made).ExpirationTime // '2026-01-01T08:00:00.000Z'
 * const refused = createToken(undefined, wish([]), env)
 * refused.ok || refused.refusal.message // 'client token missing policies or roles'
 * ```
 */
export function createToken(
  _token: undefined,
  input: {
    readonly write: AclTokenWrite
    readonly accessor: string
    readonly secret: string
  },
  env: Env,
): Outcome<AclTokenRecord | undefined, AclTokenRecord, TokenWritten, 'invalid_acl_token'> {
  checkArguments('input env', input, env)
  const { write, accessor, secret } = input
  if (write.AccessorID !== '')
    return refuse('invalid_acl_token', 'a new token cannot have an AccessorID: the service creates it')
  const checked = tokenProblem(write)
  if (checked !== undefined) return refuse('invalid_acl_token', checked)
  const expires = expiry(write, env)
  if (expires === undefined)
    return refuse('invalid_acl_token', 'a token expires between 1m0s and 24h0m0s from now, or never')
  const value: AclTokenRecord = {
    AccessorID: accessor,
    SecretID: secret,
    Name: write.Name,
    // One of the two: checked just above.
    Type: write.Type === 'management' ? 'management' : 'client',
    Policies: [...new Set(write.Policies)],
    Roles: [...write.Roles],
    Global: write.Global,
    CreateTime: rfc3339(env.now),
    ExpirationTime: expires,
  }
  return { ok: true, state: value, value, events: [{ type: 'acl.token-created', accessor }] }
}

/**
 * Changes a token's name, type, policies and roles. Its secret, creation time and expiry stay; another expiry is refused.
 *
 * @returns the token, or `token_not_found`, `invalid_acl_token`
 *
 * @example
 * ```ts
 * import { unwrap } from 'plinth'
 * import { AclTokenRecord, AclTokenWrite, updateToken } from 'plinth/scheduler'
 *
 * const env = { now: Date.UTC(2026, 0, 1), newId: () => 'a' }
 * const token = AclTokenRecord.parse({ AccessorID: 'a1', SecretID: 's1', Type: 'client', Policies: ['dev'] })
 * const write = AclTokenWrite.parse({ Name: 'ada', Type: 'management' })
 * const { SecretID, Type } = unwrap(updateToken(token, { write }, env))
 * SecretID // 's1'
 * Type // 'management'
 * ```
 */
export function updateToken(
  token: AclTokenRecord | undefined,
  input: { readonly write: AclTokenWrite },
  _env?: Env,
): Outcome<
  AclTokenRecord | undefined,
  AclTokenRecord,
  TokenWritten,
  'token_not_found' | 'invalid_acl_token'
> {
  checkArguments('input', input)
  const { write } = input
  if (token === undefined) return refuse('token_not_found', 'ACL token not found')
  const checked = tokenProblem(write)
  if (checked !== undefined) return refuse('invalid_acl_token', checked)
  if (write.Global !== token.Global)
    return refuse('invalid_acl_token', 'cannot toggle global mode of a token')
  if (write.ExpirationTTL !== '')
    return refuse('invalid_acl_token', 'cannot update expiration TTL of a token')
  // The one that was read may be sent back.
  const { ExpirationTime: expires } = write
  if (expires !== null && Date.parse(expires) !== Date.parse(token.ExpirationTime ?? ''))
    return refuse('invalid_acl_token', 'cannot update expiration time of a token')
  const value: AclTokenRecord = {
    ...token,
    Name: write.Name,
    Type: write.Type === 'management' ? 'management' : 'client',
    Policies: [...new Set(write.Policies)],
    Roles: [...write.Roles],
  }
  const event: TokenWritten = { type: 'acl.token-updated', accessor: token.AccessorID }
  return { ok: true, state: value, value, events: [event] }
}

/** The expiry of a token, `null` for never; `undefined` if the requested one is not allowed. */
function expiry({ ExpirationTTL, ExpirationTime }: AclTokenWrite, { now }: Env): string | null | undefined {
  if (ExpirationTTL === '' && ExpirationTime === null) return null
  const ends =
    ExpirationTTL === ''
      ? Date.parse(ExpirationTime ?? '')
      : now + (parseDuration(ExpirationTTL) ?? Number.NaN)
  return ends - now >= lifetime.least && ends - now <= lifetime.most ? rfc3339(ends) : undefined
}
