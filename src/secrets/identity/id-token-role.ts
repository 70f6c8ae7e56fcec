import { parsedJson } from '../../kernel/decoded.ts'
import { type Answer, type Env, type Outcome, parseDuration } from '../../kernel/index.ts'
import { isObject } from '../../kernel/objects.ts'
import { nameProblem } from '../name-length.ts'
import { invalidIdToken } from './id-token-key.ts'
import type { IdentityEvent, IdTokenKey, IdTokenRole } from './model.ts'
import { type Identity, templateValue } from './resolve.ts'

/** The fields of a write to a role; omitted fields stay unchanged. */
export interface IdTokenRoleInput {
  readonly name: string
  readonly key?: string | undefined
  readonly template?: string | undefined
  readonly clientId?: string | undefined
  /** A day by default. */
  readonly ttlSeconds?: number | undefined
  /** The client ID of a role that gets none. */
  readonly newClientId: string
}

type Refusal = 'id_token_invalid'
type Extra = Readonly<Record<string, unknown>>

/** The claims that a template cannot set. */
const reserved = [
  'iat',
  'aud',
  'exp',
  'iss',
  'sub',
  'namespace',
  'nonce',
  'auth_time',
  'at_hash',
  'c_hash',
] as const

const longestTemplate = 16_384

/** Creates or changes a role. */
export function writeIdTokenRole(
  role: IdTokenRole | undefined,
  input: IdTokenRoleInput,
  env: Env,
  keyNamed: (name: string) => IdTokenKey | undefined,
): Outcome<IdTokenRole, IdTokenRole, IdentityEvent, Refusal> {
  const { name } = input
  const wrong = nameProblem('role name', name)
  if (wrong !== undefined) return invalidIdToken(wrong)
  const key = input.key ?? role?.key ?? ''
  if (key === '') return invalidIdToken('the key parameter is required')
  const template = input.template ?? role?.template ?? ''
  const extra = extraClaims(template, emptyIdentity, env.now)
  if (!extra.ok) return extra
  const taken = Object.keys(extra.value).find(isReserved)
  if (taken !== undefined)
    return invalidIdToken(
      `top level key ${JSON.stringify(taken)} not allowed. Restricted keys: ${reserved.join(', ')}`,
    )
  const signing = keyNamed(key)
  if (signing === undefined) return invalidIdToken(`cannot find key ${JSON.stringify(key)}`)
  const ttlSeconds = input.ttlSeconds ?? role?.ttlSeconds ?? 24 * 3600
  if (ttlSeconds > signing.verificationTtlSeconds)
    return invalidIdToken(
      "a role's token ttl cannot be longer than the verification_ttl of the key it references",
    )
  const clientId = (input.clientId ?? role?.clientId) || input.newClientId
  const next = { name, key, template, clientId, ttlSeconds }
  return { ok: true, state: next, value: next, events: [{ type: 'identity.token_role_written', role: name }] }
}

/** What a token says: the claims of the template, and above all those of the protocol. */
export function idTokenClaims(
  role: IdTokenRole,
  holder: {
    readonly identity: Identity
    readonly namespaceId: string
    readonly issuer: string
    readonly ttlSeconds: number
  },
  { now }: Pick<Env, 'now'>,
): Extra {
  const seconds = Math.floor(now / 1000)
  const extra = extraClaims(role.template, holder.identity, now)
  return {
    // A name in the template may come from a parameter.
    ...Object.fromEntries(
      Object.entries(extra.ok ? extra.value : {}).filter(([claim]) => !isReserved(claim)),
    ),
    iss: holder.issuer,
    sub: holder.identity.entity.id,
    aud: role.clientId,
    exp: seconds + holder.ttlSeconds,
    iat: seconds,
    namespace: holder.namespaceId,
  }
}

const isReserved = (claim: string): boolean => reserved.some((name) => name === claim)

/** An identity without any data: a template is valid if it can be filled for this one. */
const emptyIdentity: Identity = {
  entity: { id: '', name: '', policies: [], metadata: {}, disabled: false, createdAt: 0, updatedAt: 0 },
  aliases: [],
  groups: [],
  policies: [],
}

/** The JSON of a template whose parameters are replaced by JSON values. */
function extraClaims(template: string, identity: Identity, now: number): Answer<Extra, Refusal> {
  if (template.trim() === '') return { ok: true, value: {} }
  if (template.length > longestTemplate)
    return invalidIdToken(`a template has at most ${longestTemplate} characters`)
  let unknown: string | undefined
  const filled = template.replace(/\{\{([^{}]*)\}\}/g, (_whole, written: string) => {
    const name = written.trim()
    const value = parameter(identity, name, now)
    if (value === undefined) unknown ??= name
    return JSON.stringify(value ?? '')
  })
  if (unknown !== undefined)
    return invalidIdToken(`error parsing template: there is no parameter ${JSON.stringify(unknown)}`)
  const value = parsedJson(filled)
  return isObject(value)
    ? { ok: true, value: { ...value } }
    : invalidIdToken(
        'error parsing template JSON: a template is a JSON object without quotes around parameters',
      )
}

/** The value of a parameter; empty if the entity lacks it, `undefined` if there is no such parameter. */
function parameter(identity: Identity, name: string, now: number): unknown {
  const { entity, aliases, groups } = identity
  const [, accessor] = /^identity\.entity\.aliases\.([^.]+)\.(?:custom_)?metadata$/.exec(name) ?? []
  if (accessor !== undefined)
    return aliases.find(({ mountAccessor }) => mountAccessor === accessor)?.metadata ?? {}
  switch (name) {
    case 'identity.entity.metadata':
      return entity.metadata
    case 'identity.entity.groups.ids':
      return groups.map(({ id }) => id)
    case 'identity.entity.groups.names':
      return groups.map((group) => group.name)
    case 'time.now':
      return Math.floor(now / 1000)
  }
  const [, sign, text = ''] = /^time\.now\.(plus|minus)\.(.+)$/.exec(name) ?? []
  if (sign !== undefined) {
    const ms = parseDuration(text)
    return ms === undefined ? undefined : Math.floor((now + (sign === 'plus' ? ms : -ms)) / 1000)
  }
  const isOfEntity =
    /^identity\.entity\.(?:id|name|metadata\..+|aliases\.[^.]+\.(?:id|name|(?:custom_)?metadata\..+))$/
  return isOfEntity.test(name) ? (templateValue(identity, name) ?? '') : undefined
}
