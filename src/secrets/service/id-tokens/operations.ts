import { deepestToken, isDeeperThan } from '../../../oidc/read-token.ts'
import { routeOperation } from '../../../operation/operation.ts'
import {
  type IdTokenKeyInput,
  invalidIdToken,
  isIdTokenAlgorithm,
  nextChangeOf,
  replacementProblem,
  rotateIdTokenKey,
  writeIdTokenKey,
} from '../../identity/id-token-key.ts'
import { type IdTokenRoleInput, writeIdTokenRole } from '../../identity/id-token-role.ts'
import type { IdTokenKey, IdTokenRole } from '../../identity/model.ts'
import { found } from '../core/answer.ts'
import type { Within } from '../core/context.ts'
import { done, tells } from '../core/decision.ts'
import { goneWith } from '../core/namespaces.ts'
import { drawPair } from './pairs.ts'
import { idTokenIssuers, idTokenKeys, idTokenRoles } from './records.ts'

const refuses = ['id_token_invalid'] as const
type Refusal = (typeof refuses)[number]

export const keyNow = async ({ core, namespace }: Within, name: string): Promise<IdTokenKey | undefined> =>
  idTokenKeys.get(await core.fresh(), namespace.id, name)?.value.key

export const roleNow = async ({ core, namespace }: Within, name: string): Promise<IdTokenRole | undefined> =>
  idTokenRoles.get(await core.fresh(), namespace.id, name)?.value.role

/** Two pairs for a key that is new or gets another algorithm; an invalid algorithm is refused later. */
async function pairsFor(at: Within, { name, algorithm }: IdTokenKeyInput): Promise<IdTokenKeyInput['pairs']> {
  const before = await keyNow(at, name)
  const wanted = algorithm ?? before?.algorithm ?? 'RS256'
  if (before?.algorithm === wanted || !isIdTokenAlgorithm(wanted)) return undefined
  return [await drawPair(at.core, wanted), await drawPair(at.core, wanted)]
}

/** The operations on keys, roles and the issuer of ID tokens. No private key leaves them. */
export const idTokenOperations = {
  keys: routeOperation({
    refuses: [],
    run: async ({ core, namespace }: Within) =>
      found(idTokenKeys.list(await core.fresh(), namespace.id).map(({ value }) => value.key.name)),
  }),
  readKey: routeOperation({
    refuses: [],
    run: async (at: Within, name: string) => found(await keyNow(at, name)),
  }),
  writeKey: routeOperation({
    refuses,
    run: async (at: Within, input: IdTokenKeyInput) => {
      const { core, namespace } = at
      const ns = namespace.id
      const pairs = await pairsFor(at, input)
      const written = await core.commit<IdTokenKey, Refusal>((tx, env) => {
        const gone = goneWith(tx, namespace, 'id_token_invalid')
        if (gone) return gone
        const before = tx.get(idTokenKeys, ns, input.name)?.value.key
        const ttls = tx
          .list(idTokenRoles, [ns], ns)
          .flatMap(({ value: { role } }) => (role.key === input.name ? [role.ttlSeconds] : []))
        const made = writeIdTokenKey(before, { ...input, pairs }, env, {
          longestTtlSeconds: Math.max(0, ...ttls),
        })
        if (made.ok) tx.put(idTokenKeys, { namespace: ns, key: made.state })
        return core.happened(made, { namespace: namespace.path })
      })
      if (written.ok) core.sweeper.at(nextChangeOf(written.value))
      return written
    },
  }),
  rotateKey: routeOperation({
    refuses,
    run: async (at: Within, name: string, verificationTtlSeconds: number | undefined) => {
      const { core, namespace } = at
      const unknown = invalidIdToken(`no named key found at ${JSON.stringify(name)}`)
      const algorithm = (await keyNow(at, name))?.algorithm
      if (algorithm === undefined || !isIdTokenAlgorithm(algorithm)) return unknown
      const pair = await drawPair(core, algorithm)
      const written = await core.commit<IdTokenKey, Refusal>((tx, env) => {
        const before = tx.get(idTokenKeys, namespace.id, name)?.value.key
        if (before?.algorithm !== algorithm) return unknown
        const crowded = replacementProblem(before, env.now)
        if (crowded) return crowded
        const made = rotateIdTokenKey(before, { pair, verificationTtlSeconds }, env)
        if (made.ok) tx.put(idTokenKeys, { namespace: namespace.id, key: made.state })
        return core.happened(made, { namespace: namespace.path })
      })
      if (written.ok) core.sweeper.at(nextChangeOf(written.value))
      return written
    },
  }),
  deleteKey: routeOperation({
    refuses,
    run: ({ core, namespace }: Within, name: string) =>
      core.commit<boolean, Refusal>((tx) => {
        const ns = namespace.id
        const users = tx
          .list(idTokenRoles, [ns], ns)
          .flatMap(({ value: { role } }) => (role.key === name ? [role.name] : []))
        if (users.length > 0)
          return invalidIdToken(
            `unable to delete key ${JSON.stringify(name)} because it is currently referenced by these roles: ${users.slice(0, 10).join(', ')}`,
          )
        if (!tx.delete(idTokenKeys, ns, name)) return done(false)
        return tells(true, { namespace: namespace.path, type: 'identity.token_key_deleted', key: name })
      }),
  }),
  roles: routeOperation({
    refuses: [],
    run: async ({ core, namespace }: Within) =>
      found(idTokenRoles.list(await core.fresh(), namespace.id).map(({ value }) => value.role.name)),
  }),
  readRole: routeOperation({
    refuses: [],
    run: async (at: Within, name: string) => found(await roleNow(at, name)),
  }),
  writeRole: routeOperation({
    refuses,
    run: async ({ core, namespace }: Within, input: Omit<IdTokenRoleInput, 'newClientId'>) => {
      const ns = namespace.id
      if (isDeeperThan(input.template ?? '', deepestToken))
        return invalidIdToken(`a template has at most ${deepestToken} objects or lists in each other`)
      const newClientId = core.randomText(26)
      return core.commit<IdTokenRole, Refusal>((tx, env) => {
        const gone = goneWith(tx, namespace, 'id_token_invalid')
        if (gone) return gone
        const before = tx.get(idTokenRoles, ns, input.name)?.value.role
        const made = writeIdTokenRole(
          before,
          { ...input, newClientId },
          env,
          (name) => tx.get(idTokenKeys, ns, name)?.value.key,
        )
        if (made.ok) tx.put(idTokenRoles, { namespace: ns, role: made.state })
        return core.happened(made, { namespace: namespace.path })
      })
    },
  }),
  deleteRole: routeOperation({
    refuses: [],
    run: ({ core, namespace }: Within, name: string) =>
      core.commit<boolean>((tx) =>
        tx.delete(idTokenRoles, namespace.id, name)
          ? tells(true, { namespace: namespace.path, type: 'identity.token_role_deleted', role: name })
          : done(false),
      ),
  }),
  /** The scheme and host of the issuer, as configured; empty if they are not. */
  issuerOrigin: routeOperation({
    refuses: [],
    run: async ({ core, namespace }: Within) =>
      found(idTokenIssuers.get(await core.fresh(), namespace.id)?.value.issuer ?? ''),
  }),
  /** Sets the scheme and host of the issuer; nothing for a missing one. */
  writeIssuer: routeOperation({
    refuses,
    run: ({ core, namespace }: Within, issuer: string | undefined) =>
      core.commit<string | undefined, Refusal>((tx) => {
        const gone = goneWith(tx, namespace, 'id_token_invalid')
        if (gone) return gone
        if (issuer === undefined) return done(undefined)
        if (issuer !== '' && !isOrigin(issuer))
          return invalidIdToken(
            'invalid issuer, which must include only a scheme, host, and optional port (e.g. https://example.com:8200)',
          )
        tx.put(idTokenIssuers, { namespace: namespace.id, issuer })
        return done(issuer)
      }),
  }),
}

const isOrigin = (text: string): boolean => /^https?:\/\/[^/?#\\@\s]+$/i.test(text) && URL.canParse(text)
