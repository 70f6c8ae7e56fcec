import { fromBase64 } from '../../../crypto/index.ts'
import { type Refused, refuse } from '../../../kernel/index.ts'
import { isRefused } from '../../../kernel/refusal.ts'
import { algorithmOf, claimsProblem } from '../../../oidc/index.ts'
import { isSignedBy, readKeySet } from '../../../oidc/key-set.ts'
import { readToken, toBase64Url } from '../../../oidc/read-token.ts'
import { routeOperation } from '../../../operation/operation.ts'
import { stillVerifying } from '../../identity/id-token-key.ts'
import { idTokenClaims } from '../../identity/id-token-role.ts'
import type { IdTokenKey } from '../../identity/model.ts'
import { found } from '../core/answer.ts'
import type { SecretsContext, Within } from '../core/context.ts'
import { namespaceAt } from '../core/namespaces.ts'
import { entities } from '../identity/records.ts'
import { identityOfToken } from '../identity/resolved.ts'
import { keyNow, roleNow } from './operations.ts'
import { idTokenIssuers, idTokenKeys, idTokenRoles } from './records.ts'

const refused = (message: string) => refuse('id_token_refused', message)

/** The issuer of a namespace's tokens: the address of its discovery document. */
const issuerNow = async ({ core, namespace }: Within): Promise<string> => {
  const origin = idTokenIssuers.get(await core.fresh(), namespace.id)?.value.issuer ?? ''
  return `${origin}/v1/${namespace.path}identity/oidc`
}

const utf8 = new TextEncoder()
const part = (value: unknown): string => toBase64Url(utf8.encode(JSON.stringify(value)))

/** Signs claims with the current pair of a key. */
function signed({ core }: Within, { algorithm, current }: IdTokenKey, claims: object): string {
  const text = `${part({ alg: algorithm, kid: current.id })}.${part(claims)}`
  const privateKey = fromBase64(current.privateKey)
  if (privateKey === undefined) throw new Error('the private key of ID tokens is not base64')
  const signature = core.crypto.sign(privateKey, utf8.encode(text), algorithmOf(algorithm)?.how)
  return `${text}.${toBase64Url(signature)}`
}

/** Gives the caller a token about its entity. */
export const issueIdToken = routeOperation({
  refuses: ['id_token_refused'],
  run: async (context: SecretsContext, name: string) => {
    const { core, namespace, caller } = context
    const role = await roleNow(context, name)
    if (role === undefined) return refused(`role ${JSON.stringify(name)} not found`)
    const key = await keyNow(context, role.key)
    if (key === undefined) return refused(`key ${JSON.stringify(role.key)} not found`)
    if (!key.allowedClientIds.some((id) => id === '*' || id === role.clientId))
      return refused(
        `the key ${JSON.stringify(role.key)} does not list the client ID of the role ${JSON.stringify(name)} as an allowed client ID`,
      )
    const holder = caller?.token.entity && identityOfToken(core, await core.fresh(), caller.token.entity)
    if (holder === undefined || holder === 'refused')
      return refused("no entity associated with the request's token")
    const ttlSeconds = Math.min(role.ttlSeconds, key.verificationTtlSeconds)
    const { identity } = holder
    const issuer = await issuerNow(context)
    const claims = idTokenClaims(
      role,
      { identity, namespaceId: namespace.id, issuer, ttlSeconds },
      context.env,
    )
    return found({ token: signed(context, key, claims), clientId: role.clientId, ttlSeconds })
  },
})

/** The issuer as an operation. */
export const issuer = routeOperation({
  refuses: [],
  run: async (at: Within) => found(await issuerNow(at)),
})

/** The public keys of a namespace as JSON Web Keys: those that sign, will sign next or have signed for a role. */
export const publicKeys = routeOperation({
  refuses: [],
  run: async ({ core, namespace }: Within) => {
    const now = await core.fresh()
    const used = new Set(idTokenRoles.list(now, namespace.id).map(({ value }) => value.role.key))
    return found(
      idTokenKeys
        .list(now, namespace.id)
        .flatMap(({ value: { key } }) => (used.has(key.name) ? [key] : []))
        .flatMap((key) =>
          [key.current, key.next, ...stillVerifying(key, core.env().now)].map(({ jwk }) => jwk),
        ),
    )
  },
})

/** Whether a token is one of this namespace, and its entity is enabled: the reason, or `undefined`. */
export const introspectIdToken = routeOperation({
  refuses: [],
  run: async (at: Within, text: string, clientId: string) => {
    const { core } = at
    const token = readToken(text)
    if (isRefused(token)) return found(`error parsing token: ${token.refusal.message}`)
    const { value: all } = await publicKeys.run(at)
    const keys = readKeySet({ keys: all.filter(({ kid }) => kid === token.keyId) }, core.crypto) ?? []
    if (!isSignedBy(token, keys, core.crypto)) return found('unable to validate the token signature')
    const problem: Refused<string> | undefined = claimsProblem(
      token.claims,
      { issuer: await issuerNow(at), audiences: clientId === '' ? [] : [clientId] },
      core.env().now,
    )
    if (problem !== undefined) return found(`error validating claims: ${problem.refusal.message}`)
    return found(await entityProblem(at, token.claims['sub']))
  },
})

/** Why the subject of a token is none: the entity may be of the namespace, or of one above it. */
async function entityProblem({ core, namespace }: Within, id: unknown): Promise<string | undefined> {
  const now = await core.fresh()
  const steps = namespace.path.split('/')
  for (let depth = steps.length - 1; depth >= 0; depth -= 1) {
    const path = steps.slice(0, depth).map((step) => `${step}/`)
    const at = namespaceAt(now, path.join(''))
    const entity = at && entities.get(now, at.id, String(id))?.value.entity
    if (entity !== undefined) return entity.disabled ? 'entity is disabled' : undefined
  }
  return 'entity was not found'
}
