import type { RefusalsOfOperations } from '../../operation/operation.ts'
import type { ApproleHandle } from './approle/operations.ts'
import { approleMethods } from './approle/operations.ts'
import { type Core, rootNamespace } from './core/core.ts'
import { authMountAt, mountOfTypes } from './core/find-mounts.ts'
import { checked, sealable } from './core/methods.ts'
import { type IdpHandle, idpMethods, idpMountAt, loginOperations } from './idp/operations.ts'
import { type JwtHandle, jwtMethods } from './jwt/operations.ts'
import { jwtTypes } from './jwt/records.ts'
import { kvMountAt } from './kv/kv-mount.ts'
import { type KvHandle, kvOperations } from './kv/operations.ts'
import { type PlainKvHandle, plainKvOperations } from './kv/plain-operations.ts'
import { type MountsHandle, mountOperations } from './mounts/operations.ts'
import { type NamespacesHandle, namespaceOperations } from './namespaces/operations.ts'
import { type PoliciesHandle, policyOperations } from './policies/operations.ts'
import { type QuotasHandle, quotaOperations } from './quotas/operations.ts'
import { type SealHandle, sealOperations } from './seal/operations.ts'
import { type TokensHandle, tokenOperations } from './tokens/operations.ts'
import type { TransitHandle } from './transit/operations.ts'
import { transitMethods } from './transit/operations.ts'
import type { UserpassHandle } from './userpass/operations.ts'
import { userpassMethods } from './userpass/operations.ts'

/** The methods of a service, by topic. */
export interface SecretsHandles {
  /**
   * Versioned secrets of a version 2 mount; `secret` by default.
   *
   * @example await secrets.kv('team').read('app')
   */
  readonly kv: (mount?: string) => KvHandle
  /**
   * Plain secrets of a version 1 mount.
   *
   * @example await secrets.kv1('plain').read('app')
   */
  readonly kv1: (mount: string) => PlainKvHandle
  /**
   * Mounts of secrets engines and auth methods.
   *
   * @example await secrets.mounts.list()
   */
  readonly mounts: MountsHandle
  /**
   * Policies, and why one of them decides.
   *
   * @example await secrets.policies.list()
   */
  readonly policies: PoliciesHandle
  /**
   * Tokens and their leases.
   *
   * @example await secrets.tokens.create({ policies: ['reader'], ttlSeconds: 3600 })
   */
  readonly tokens: TokensHandle
  /**
   * The identity-provider method at a mount; at `auth/idp` by default.
   *
   * @example await secrets.idp().readUser('ada')
   */
  readonly idp: (mount?: string) => IdpHandle
  /**
   * The method with user names and passwords at a mount; at `auth/userpass` by default.
   *
   * @example await secrets.userpass().listUsers()
   */
  readonly userpass: (mount?: string) => UserpassHandle
  /**
   * The AppRole method at a mount; at `auth/approle` by default.
   *
   * @example await secrets.approle().listRoles()
   */
  readonly approle: (mount?: string) => ApproleHandle
  /**
   * The method for tokens of an identity provider at a mount of type `jwt` or `oidc`; at `auth/jwt` by default.
   *
   * @example await secrets.jwt().listRoles()
   */
  readonly jwt: (mount?: string) => JwtHandle
  /**
   * The transit engine at a mount; at `transit` by default.
   *
   * @example await secrets.transit().listKeys()
   */
  readonly transit: (mount?: string) => TransitHandle
  /**
   * Namespaces, each with mounts, policies and tokens of its own.
   *
   * @example await secrets.namespaces.list()
   */
  readonly namespaces: NamespacesHandle
  /**
   * Rate limits: how many requests each client address may send to a namespace, a mount or a path.
   *
   * @example await secrets.quotas.list()
   */
  readonly quotas: QuotasHandle
  /**
   * Initialisation, sealing, key shares and key rotation.
   *
   * @example await secrets.seal.status()
   */
  readonly seal: SealHandle
}

/** Every refusal that some method declares, or that its mount does not exist. */
export type MethodRefusal =
  | 'no_such_mount'
  | RefusalsOfOperations<typeof kvOperations>
  | RefusalsOfOperations<typeof plainKvOperations>
  | RefusalsOfOperations<typeof mountOperations>
  | RefusalsOfOperations<typeof policyOperations>
  | RefusalsOfOperations<typeof tokenOperations>
  | RefusalsOfOperations<typeof idpMethods>
  | RefusalsOfOperations<typeof loginOperations>
  | RefusalsOfOperations<typeof userpassMethods>
  | RefusalsOfOperations<typeof approleMethods>
  | RefusalsOfOperations<typeof jwtMethods>
  | RefusalsOfOperations<typeof transitMethods>
  | RefusalsOfOperations<typeof namespaceOperations>
  | RefusalsOfOperations<typeof quotaOperations>
  | RefusalsOfOperations<typeof sealOperations>

/** Binds the operations to the core of a service. */
export function secretsHandles(core: Core): SecretsHandles {
  const root = () => ({ core, namespace: rootNamespace })
  return {
    kv: (mount = 'secret') => {
      const path = expectPath('kv', mount)
      return sealable('kv', kvOperations, core, () => kvMountAt(core, path, 2))
    },
    kv1: (mount) => {
      const path = expectPath('kv1', mount)
      return sealable('kv1', plainKvOperations, core, () => kvMountAt(core, path, 1))
    },
    mounts: sealable('mounts', mountOperations, core, root),
    policies: sealable('policies', policyOperations, core, root),
    tokens: sealable('tokens', tokenOperations, core, root),
    idp: (mount = core.idpWords[0]) => {
      const path = expectPath('idp', mount)
      const find = () => idpMountAt(core, path)
      return {
        ...sealable('idp', idpMethods, core, find),
        ...checked('idp', loginOperations, () => core.barrier.unlessSealed(find)),
      }
    },
    userpass: (mount = 'userpass') => {
      const path = expectPath('userpass', mount)
      return sealable('userpass', userpassMethods, core, () =>
        authMountAt(core, path, ['userpass'], 'userpass'),
      )
    },
    approle: (mount = 'approle') => {
      const path = expectPath('approle', mount)
      return sealable('approle', approleMethods, core, () => authMountAt(core, path, ['approle'], 'approle'))
    },
    jwt: (mount = 'jwt') => {
      const path = expectPath('jwt', mount)
      return sealable('jwt', jwtMethods, core, () => authMountAt(core, path, jwtTypes, 'jwt'))
    },
    transit: (mount = 'transit') => {
      const path = expectPath('transit', mount)
      return sealable('transit', transitMethods, core, () =>
        mountOfTypes(core, path, ['transit'], 'transit engine'),
      )
    },
    namespaces: sealable('namespaces', namespaceOperations, core, root),
    quotas: sealable('quotas', quotaOperations, core, root),
    seal: checked('seal', sealOperations, { core }),
  }
}

/** The path of a mount as a program names it; anything but a string is an error. */
function expectPath(method: string, mount: unknown): string {
  if (typeof mount === 'string') return mount
  throw new TypeError(`${method}: mount: expected string, received ${typeof mount}`)
}
