import type { Route } from '../../../http/index.ts'
import { matcher } from '../../../http/index.ts'
import { approleName } from '../../approle/write-role.ts'
import { canonicalName } from '../../headers/custom-headers.ts'
import { groupName } from '../../idp/write-user.ts'
import { jwtRoleName } from '../../jwt/write-role.ts'
import { kvVersionOf, type Mount, type MountPolicy, mountPolicy } from '../../mounts/index.ts'
import { userpassName } from '../../userpass/write-user.ts'
import { capabilityRoutes } from '../access/capability-routes.ts'
import { aclRoutes } from '../access/explain-routes.ts'
import { approleOperations } from '../approle/operations.ts'
import { approleRoutes } from '../approle/routes.ts'
import { auditRoutes } from '../audit/routes.ts'
import type { SecretsContext } from '../core/context.ts'
import { edgeRoutes } from '../edge/routes.ts'
import { hostRoutes } from '../host/routes.ts'
import { keyNow as idTokenKeyNow, roleNow as idTokenRoleNow } from '../id-tokens/operations.ts'
import { idTokenRoutes } from '../id-tokens/routes.ts'
import { identityRoutes } from '../identity/routes.ts'
import { idpOperations } from '../idp/operations.ts'
import { idpRoutes } from '../idp/routes.ts'
import { jwtOperations } from '../jwt/operations.ts'
import { jwtTypes } from '../jwt/records.ts'
import { jwtRoutes } from '../jwt/routes.ts'
import { plainExists } from '../kv/plain.ts'
import { kv1Routes } from '../kv/plain-routes.ts'
import { kv2Routes, unversionedPath } from '../kv/routes.ts'
import { secretExists } from '../kv/versioned-reads.ts'
import { lockoutRoutes } from '../logins/lockout-routes.ts'
import { mountRoutes } from '../mounts/routes.ts'
import { namespaceRoutes } from '../namespaces/routes.ts'
import { policyRoutes } from '../policies/routes.ts'
import { quotaRoutes } from '../quotas/routes.ts'
import { keyRoutes } from '../seal/key-routes.ts'
import { rootRoutes } from '../seal/root-routes.ts'
import { sealRoutes } from '../seal/routes.ts'
import { leaseRoutes } from '../tokens/lease-routes.ts'
import { roleNow } from '../tokens/roles.ts'
import { tokenRoutes } from '../tokens/routes.ts'
import { toolRoutes } from '../tools/routes.ts'
import { keyNow } from '../transit/find-key.ts'
import { transitRoutes } from '../transit/routes.ts'
import { userpassOperations } from '../userpass/operations.ts'
import { userpassRoutes } from '../userpass/routes.ts'
import { readCubbyhole } from '../wrapping/cubbyhole.ts'
import { cubbyholeRoutes } from '../wrapping/cubbyhole-routes.ts'
import { wrappingRoutes } from '../wrapping/routes.ts'

/** The definition of a mount type: its routes, relative to the mount, and their properties. */
interface MountType<Code extends string> {
  /** The mount path in the documentation. */
  readonly shownAt: string
  readonly routes: readonly Route<SecretsContext, Code>[]
  /** The answer for a path that no route has; by default 404 `unsupported path`. */
  readonly otherwise?: Route<SecretsContext, Code>
  /**
   * Whether a write to this path within the mount creates a missing object or updates one; by default every write
   * updates.
   */
  readonly exists?: (
    context: Pick<SecretsContext, 'core' | 'namespace' | 'mount' | 'caller'>,
    rest: string,
  ) => boolean | Promise<boolean>
  /**
   * The canonical form of a path within the mount, if it has several spellings: a caller without access to a policy has
   * none under its name in capitals either.
   */
  readonly spelling?: (rest: string) => string
}

const policyName = (name: string) => name.trim().toLowerCase()
const mountPath = (path: string) => path.split('/').filter(Boolean).join('/')

/** The canonical forms of names in system routes. */
const systemSpellings: Readonly<Record<string, (name: string) => string | undefined>> = {
  'policies/acl': policyName,
  policy: policyName,
  'config/ui/headers': canonicalName,
  mounts: mountPath,
  auth: mountPath,
}

/** The paths about the service itself, which answer every caller, sealed or not. */
export const pathsAboutItself: ReadonlySet<string> = new Set(
  ['init', 'seal-status', 'unseal', 'health', 'leader'].map((name) => `sys/${name}`),
)

/** A mount type with its matcher. Every route refuses while the service is sealed, except those about the service itself. */
const mountType = <const Code extends string>(type: MountType<Code>) => {
  const routes: readonly Route<SecretsContext, Code | 'sealed'>[] = type.routes.map((entry) =>
    type.shownAt === '/v1/sys' && pathsAboutItself.has(`sys${entry.path}`)
      ? entry
      : { ...entry, refusals: ['sealed', ...entry.refusals] },
  )
  return { ...type, routes, find: matcher<SecretsContext>(routes) }
}

/** A new mount type is a row here, and its type in `mountPolicy`. */
const rows = {
  kv1: mountType({
    shownAt: '/v1/kv',
    routes: kv1Routes,
    exists: (context, rest) => plainExists(context, rest),
  }),
  kv2: mountType({
    shownAt: '/v1/secret',
    routes: kv2Routes,
    otherwise: unversionedPath,
    exists: (context, rest) => {
      const path = /^(?:data|metadata)\/(.+)$/.exec(rest)?.[1]
      // Only these two distinguish creating from updating.
      return path === undefined || secretExists(context, path)
    },
  }),
  token: mountType({
    shownAt: '/v1/auth/token',
    routes: tokenRoutes,
    exists: async (context, rest) => {
      const name = /^roles\/([^/]+)$/.exec(rest)?.[1]
      if (name === undefined) return true
      return (await roleNow(context.core, context.namespace, name)) !== undefined
    },
  }),
  idp: mountType({
    shownAt: '/v1/auth/idp',
    routes: idpRoutes,
    exists: async (context, rest) => {
      // Only the configuration distinguishes creating from updating.
      if (rest !== 'config') return true
      return (await idpOperations.readConfig.run(context)).value !== undefined
    },
    spelling: (rest) =>
      rest.startsWith('groups/') ? `groups/${groupName(rest.slice('groups/'.length))}` : rest,
  }),
  userpass: mountType({
    shownAt: '/v1/auth/userpass',
    routes: userpassRoutes,
    exists: async (context, rest) => {
      const name = /^users\/([^/]+)$/.exec(rest)?.[1]
      return name === undefined || (await userpassOperations.readUser.run(context, name)).value !== undefined
    },
    spelling: (rest) => rest.replace(/(?<=^users\/)[^/]+/, userpassName),
  }),
  approle: mountType({
    shownAt: '/v1/auth/approle',
    routes: approleRoutes,
    exists: async (context, rest) => {
      const name = /^role\/([^/]+)$/.exec(rest)?.[1]
      return name === undefined || (await approleOperations.readRole.run(context, name)).value !== undefined
    },
    spelling: (rest) => rest.replace(/(?<=^role\/)[^/]+/, approleName),
  }),
  jwt: mountType({
    shownAt: '/v1/auth/jwt',
    routes: jwtRoutes,
    exists: async (context, rest) => {
      const name = /^role\/([^/]+)$/.exec(rest)?.[1]
      return name === undefined || (await jwtOperations.readRole.run(context, name)).value !== undefined
    },
    spelling: (rest) => rest.replace(/(?<=^role\/)[^/]+/, jwtRoleName),
  }),
  transit: mountType({
    shownAt: '/v1/transit',
    routes: transitRoutes,
    exists: async (context, rest) => {
      // Encryption creates a missing key.
      const name = /^encrypt\/([^/]+)$/.exec(rest)?.[1]
      return name === undefined || (await keyNow(context, name)) !== undefined
    },
  }),
  cubbyhole: mountType({
    shownAt: '/v1/cubbyhole',
    routes: cubbyholeRoutes,
    exists: async (context, rest) => {
      const token = context.caller?.token
      const found = token && (await readCubbyhole(context.core, token, rest))
      return found?.ok === true && found.value !== undefined
    },
  }),
  identity: mountType({
    shownAt: '/v1/identity',
    routes: [...identityRoutes, ...idTokenRoutes],
    exists: async (context, rest) => {
      const [, kind, name = ''] = /^oidc\/(key|role)\/([^/]+)$/.exec(rest) ?? []
      if (kind === undefined) return true
      return (await (kind === 'key' ? idTokenKeyNow : idTokenRoleNow)(context, name)) !== undefined
    },
  }),
  system: mountType({
    shownAt: '/v1/sys',
    routes: [
      ...sealRoutes,
      ...keyRoutes,
      ...rootRoutes,
      ...mountRoutes,
      ...policyRoutes,
      ...capabilityRoutes,
      ...aclRoutes,
      ...edgeRoutes,
      ...leaseRoutes,
      ...lockoutRoutes,
      ...quotaRoutes,
      ...hostRoutes,
      ...auditRoutes,
      ...toolRoutes,
      ...namespaceRoutes,
      ...wrappingRoutes,
    ],
    spelling: (rest) => {
      const [, root = '', name = ''] =
        /^(policies\/acl|policy|config\/ui\/headers|mounts|auth)\/(.*)$/s.exec(rest) ?? []
      const spelled = systemSpellings[root]?.(name)
      return spelled === undefined ? rest : `${root}/${spelled}`
    },
  }),
} as const

export type MountTypeName = keyof typeof rows

/** All mount types. */
export const mountTypes: Readonly<Record<MountTypeName, ReturnType<typeof mountType<string>>>> = rows

/** The refusals of all mount types together. */
export type MountTypeRefusal = (typeof rows)[MountTypeName]['routes'][number] extends infer R
  ? R extends Route<SecretsContext, infer Code>
    ? Code
    : never
  : never

type ShownRoutes = readonly Route<SecretsContext, MountTypeRefusal>[]

let shown: ShownRoutes | undefined

/** Every route as documented. */
export const shownRoutes = (): ShownRoutes => {
  shown ??= Object.values(rows).flatMap(
    ({ shownAt, routes }): ShownRoutes =>
      routes.map((entry) => ({ ...entry, path: `${shownAt}${entry.path}` })),
  )
  return shown
}

/** The types that a mount request can name: those of every server, with the words for the identity provider's. */
export function mountPolicyTypes(idpWords: readonly string[]): MountPolicy['types'] {
  const { idp: _renamed, ...others } = mountPolicy.types
  return { ...others, ...Object.fromEntries(idpWords.map((word) => [word, { role: 'auth' }])) }
}

/** The row of a mount in the table. */
export function typeNameOf(mount: Mount, idpWords: readonly string[]): MountTypeName | undefined {
  if (idpWords.includes(mount.type)) return 'idp'
  if (jwtTypes.includes(mount.type)) return 'jwt'
  if (mount.type === 'kv') return kvVersionOf(mount) === 2 ? 'kv2' : 'kv1'
  return Object.keys(rows).find((name): name is MountTypeName => name === mount.type)
}
