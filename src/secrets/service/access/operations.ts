import { type Refused, refuse } from '../../../kernel/index.ts'
import { nextMacrotask } from '../../../kernel/next-macrotask.ts'
import { isRefused } from '../../../kernel/refusal.ts'
import { routeOperation } from '../../../operation/operation.ts'
import {
  type AccessExplanation,
  type Acl,
  type AclRequest,
  capabilitiesOf,
  explainAccess,
  normalisePolicies,
  resultantAcl,
} from '../../acl/index.ts'
import type { Token } from '../../tokens/index.ts'
import { found } from '../core/answer.ts'
import type { SecretsContext } from '../core/context.ts'
import { aclOf } from '../policies/compiled.ts'
import { policyNames } from '../policies/operations.ts'
import { policyExists } from '../policies/records.ts'
import { findToken, type TokenName } from '../tokens/find-token.ts'
import { livingOf, tokenRecords } from '../tokens/records.ts'
import { rightsOf } from './rights.ts'

/** The capabilities of a token at some paths: a map, and for a single path also the bare list. */
async function capabilitiesAt(
  { core, namespace }: SecretsContext,
  token: Token | undefined,
  paths: readonly string[],
): Promise<Readonly<Record<string, readonly string[]>>> {
  const acl = await rightsOf(core, await core.fresh(), token)
  const found: Record<string, readonly string[]> = Object.create(null)
  for (const path of paths) found[path] = capabilitiesOf(acl, namespace.path + path.replace(/^\/+/, ''))
  const [only] = paths
  if (paths.length === 1 && only !== undefined) found['capabilities'] = found[only] ?? ['deny']
  return found
}

/** The owner of the rights in question; the caller by default. */
interface Subject {
  readonly token?: string | undefined
  readonly accessor?: string | undefined
  readonly policies?: readonly string[] | undefined
}

const unknownToken = (by: 'token' | 'accessor') =>
  by === 'token' ? refuse('unknown_token', 'invalid token') : refuse('bad_accessor', 'invalid accessor')

/** The rights in question, and the namespace of their rules. */
async function rightsIn(
  { core, namespace, caller }: SecretsContext,
  { token, accessor, policies }: Subject,
): Promise<
  | { readonly acl: Acl; readonly home: string; readonly warnings: readonly string[] }
  | Refused<'explain_invalid' | 'unknown_token' | 'bad_accessor'>
> {
  if ([token, accessor, policies].filter((given) => given !== undefined).length > 1)
    return refuse('explain_invalid', 'provide one of token, accessor and policies')
  const now = await core.fresh()
  if (policies !== undefined) {
    const names = normalisePolicies(policies)
    const warnings = names
      .filter((name) => !policyExists(now, namespace, name))
      .map((name) => `policy ${JSON.stringify(name)} does not exist`)
    return { acl: await aclOf(core, now, namespace, names), home: namespace.path, warnings }
  }
  const named = token === undefined ? accessor !== undefined && { accessor } : { token }
  const found = named ? await findToken(core, named, namespace) : caller?.token
  if (found === undefined) return unknownToken(token === undefined ? 'accessor' : 'token')
  return { acl: await rightsOf(core, now, found), home: found.namespace, warnings: [] }
}

/** Rules relative to the namespace of their policy. */
const withinHome = (home: string, { rule, ...others }: AccessExplanation) => ({
  ...others,
  rule: rule?.startsWith(home) ? rule.slice(home.length) : rule,
})

/** How many tokens are read before other requests continue. */
const slice = 500

/** The current holders of a right: policies, and the stored tokens of the namespace. */
async function whoMay({ core, namespace }: SecretsContext, asked: AclRequest, limit: number) {
  const now = await core.fresh()
  const granting = (acl: Acl) => {
    const { allowed, policy, rule, line } = withinHome(namespace.path, explainAccess(acl, asked))
    return allowed ? { policy, rule, line } : undefined
  }
  const policies = []
  for (const name of await policyNames({ core, namespace })) {
    const granted = granting(await aclOf(core, now, namespace, [name]))
    if (granted) policies.push(granted)
  }
  // Tokens with the same policies share one set of rights.
  const known = new Map<Acl, ReturnType<typeof granting>>()
  const isAlive = livingOf(now, core.env().now)
  const tokens = []
  for (const [place, { value: token }] of tokenRecords.list(now).entries()) {
    if (place % slice === slice - 1) await nextMacrotask()
    if (token.namespace !== namespace.path || !isAlive(token)) continue
    const acl = await rightsOf(core, now, token)
    if (!known.has(acl)) known.set(acl, granting(acl))
    const granted = known.get(acl)
    if (granted === undefined) continue
    if (tokens.length === limit) return { policies, tokens, more: true }
    const { accessor, displayName, policies: names, entity } = token
    tokens.push({
      accessor,
      display_name: displayName,
      policies: names,
      entity_id: entity?.id ?? '',
      ...granted,
    })
  }
  return { policies, tokens, more: false }
}

/** The operations that read rights. */
export const accessOperations = {
  /** The rights of the caller, by path. */
  own: routeOperation({
    refuses: [],
    run: async ({ core, caller }: SecretsContext) =>
      found(resultantAcl(await rightsOf(core, await core.fresh(), caller?.token))),
  }),
  /** The capabilities of the caller on some paths. */
  ownCapabilities: routeOperation({
    refuses: [],
    run: async (context: SecretsContext, paths: readonly string[]) =>
      found(await capabilitiesAt(context, context.caller?.token, paths)),
  }),
  /** The capabilities of a token on some paths. */
  capabilities: routeOperation({
    refuses: ['unknown_token', 'bad_accessor'],
    run: async (context: SecretsContext, name: TokenName, paths: readonly string[]) => {
      const token = await findToken(context.core, name, context.namespace)
      return token
        ? found(await capabilitiesAt(context, token, paths))
        : unknownToken('token' in name ? 'token' : 'accessor')
    },
  }),
  /** Why a request would be allowed or refused. */
  explain: routeOperation({
    refuses: ['explain_invalid', 'unknown_token', 'bad_accessor'],
    run: async (context: SecretsContext, asked: AclRequest, subject: Subject) => {
      const rights = await rightsIn(context, subject)
      if (isRefused(rights)) return rights
      const { acl, home, warnings } = rights
      return found({ data: withinHome(home, explainAccess(acl, asked)), warnings })
    },
  }),
  /** The policies and stored tokens with a right. */
  whoMay: routeOperation({
    refuses: [],
    run: async (context: SecretsContext, asked: AclRequest, limit: number) =>
      found(await whoMay(context, asked, limit)),
  }),
}
