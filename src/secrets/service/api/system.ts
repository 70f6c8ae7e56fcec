import { refuse } from '../../../kernel/index.ts'
import {
  type AclRequest,
  type Explanation,
  explainDecision,
  needsSudo,
  normalisePolicies,
  type PolicyRecord,
  type PolicyRefusal,
} from '../../acl/index.ts'
import type {
  EnableInput,
  EnableRefusal,
  Mount,
  MoveRefusal,
  Tuned,
  TuneInput,
  TuneRefusal,
} from '../../mounts/index.ts'
import { type RenewRefusal, rootToken, type TokenView } from '../../tokens/index.ts'
import type { SecretsAnswer } from '../answer.ts'
import type { Services } from '../context.ts'
import { isRefused, rootNamespace } from '../core.ts'
import { upgradeMount } from '../kv/upgrade.ts'
import type { Issued, IssueRefusal } from '../tokens/issuing.ts'
import { renew, tokenBounds } from '../tokens/renew.ts'
import type { TokenName } from '../tokens/tokens.ts'

/** The mounts of a service, for programs that embed it. @public */
export interface MountsHandle {
  /** Secrets engines, or auth methods, ordered by path. */
  readonly list: (kind?: 'secret' | 'auth') => Promise<SecretsAnswer<readonly Mount[]>>
  /**
   * Mounts a secrets engine (`path: 'secret/'`) or an auth method (`path: 'auth/idp/'`).
   *
   * @example
   * ```ts
   * import { devSecrets } from 'plinth/secrets'
   *
   * const { service } = await devSecrets()
   * const mounted = await service.mounts.enable({ path: 'team/', type: 'kv', options: { version: '2' } })
   * mounted.ok && mounted.value.path // 'team/'
   * await service.kv('team').write('app', { password: 'hunter2' })
   * await service.close()
   * ```
   */
  readonly enable: (input: Omit<EnableInput, 'accessorTail'>) => Promise<SecretsAnswer<Mount, EnableRefusal>>
  /** Changes settings. Raising a key/value mount to version 2 rewrites its entries before this resolves. */
  readonly tune: (input: TuneInput) => Promise<SecretsAnswer<Tuned, TuneRefusal>>
  /** Moves a mount with all it holds; who logged in where it was has to log in again. */
  readonly move: (from: string, to: string) => Promise<SecretsAnswer<Mount, MoveRefusal>>
  /** Unmounts, and drops all the mount held; `undefined` when the path was free. */
  readonly disable: (path: string) => Promise<SecretsAnswer<Mount | undefined, 'mount_fixed'>>
}

export function mountsHandle(services: Services): MountsHandle {
  const { mounts } = services
  return {
    list: (kind = 'secret') => mounts.list(rootNamespace, kind),
    enable: (input) => mounts.enable(rootNamespace, input),
    tune: async (input) => {
      const result = await mounts.tune(rootNamespace, input)
      if (result.ok && result.value.upgrade)
        await upgradeMount(services, { namespace: rootNamespace, mount: result.value.mount })
      return result
    },
    move: async (from, to) => {
      const moved = await mounts.move(rootNamespace, { from, to })
      return moved.ok ? { ok: true, value: moved.value.mount } : moved
    },
    disable: (path) => mounts.disable(rootNamespace, path),
  }
}

/** The policies of a service, for programs that embed it. @public */
export interface PoliciesHandle {
  /** The names, sorted, `root` last. */
  readonly list: () => Promise<SecretsAnswer<readonly string[]>>
  /** Reads a policy as it was written; `undefined` when there is none. */
  readonly read: (name: string) => Promise<SecretsAnswer<PolicyRecord | undefined>>
  /** Writes a policy: HCL or JSON. */
  readonly write: (name: string, text: string) => Promise<SecretsAnswer<PolicyRecord, PolicyRefusal>>
  /** Deletes a policy; false when there was none. */
  readonly delete: (name: string) => Promise<SecretsAnswer<boolean, PolicyRefusal>>
  /**
   * Says what a token with these policies may do, which rule decides, and why. Paths that need `sudo` are known.
   *
   * @example
   * ```ts
   * import { devSecrets } from 'plinth/secrets'
   *
   * const { service } = await devSecrets()
   * await service.policies.write('dev', 'path "secret/data/app/*" { capabilities = ["read"] }')
   * const told = await service.policies.explain(['dev'], { path: 'secret/data/app/db', operation: 'update' })
   * told.ok && told.value.text // 'refused: "secret/data/app/*" (policy dev, line 1) allows read, not update'
   * await service.close()
   * ```
   */
  readonly explain: (policies: readonly string[], request: AclRequest) => Promise<SecretsAnswer<Explanation>>
}

export const policiesHandle = ({ core, policies }: Services): PoliciesHandle => ({
  list: () => policies.list(rootNamespace),
  read: (name) => policies.read(rootNamespace, name),
  write: (name, text) => policies.write(rootNamespace, { name, text }),
  delete: (name) => policies.delete(rootNamespace, name),
  explain: async (names, request) => {
    const opened = core.barrier.enter()
    if (isRefused(opened)) return opened
    const acl = await policies.aclOf(opened.view, rootNamespace, normalisePolicies(names))
    const { path, operation } = request
    return { ok: true, value: explainDecision(acl, { needsSudo: needsSudo(path, operation), ...request }) }
  },
})

/** What a token shall be. Durations are whole seconds. @public */
export interface TokenInput {
  readonly policies: readonly string[]
  /** The token role it is made with. */
  readonly role?: string | undefined
  /** The token itself; random by default. */
  readonly token?: string | undefined
  readonly ttlSeconds?: number | undefined
  readonly explicitMaxTtlSeconds?: number | undefined
  readonly periodSeconds?: number | undefined
  readonly type?: 'service' | 'batch' | undefined
  readonly renewable?: boolean | undefined
  readonly numUses?: number | undefined
  readonly meta?: Readonly<Record<string, string>> | undefined
  readonly displayName?: string | undefined
  readonly noDefaultPolicy?: boolean | undefined
}

/** A token that was just made. @public */
export interface TokenMade {
  /** The token itself: it is told once and kept nowhere. */
  readonly token: string
  readonly accessor: string
  readonly policies: readonly string[]
  /** 0 when it never expires. */
  readonly ttlSeconds: number
  readonly warnings: readonly string[]
}

/** The tokens of a service, for programs that embed it. @public */
export interface TokensHandle {
  /**
   * Makes a token without a parent.
   *
   * @example
   * ```ts
   * import { devSecrets } from 'plinth/secrets'
   *
   * const { service } = await devSecrets()
   * await service.policies.write('dev', 'path "secret/data/app/*" { capabilities = ["read"] }')
   * const made = await service.tokens.create({ policies: ['dev'], ttlSeconds: 3600 })
   * made.ok && made.value.policies // ['default', 'dev']
   * await service.close()
   * ```
   */
  readonly create: (input: TokenInput) => Promise<SecretsAnswer<TokenMade, IssueRefusal>>
  /** Looks a living token up, named by itself or by its accessor. */
  readonly lookup: (name: TokenName) => Promise<SecretsAnswer<TokenView | undefined>>
  /** Renews a token; without an increment, for as long as it was granted last. */
  readonly renew: (
    name: TokenName,
    incrementSeconds?: number,
  ) => Promise<
    SecretsAnswer<
      { readonly ttlSeconds: number; readonly warnings: readonly string[] },
      RenewRefusal | 'token_not_found' | 'idp_policies_changed' | 'idp_not_configured'
    >
  >
  /** Ends a token with everything it made; false when there is no such living token. */
  readonly revoke: (name: TokenName) => Promise<SecretsAnswer<boolean, 'not_revocable'>>
  /** The accessors of all living tokens. */
  readonly accessors: () => Promise<SecretsAnswer<readonly string[]>>
}

/** What is told of a token that was just made, once. */
export const tokenMade = ({ text, token, warnings }: Issued): TokenMade => ({
  token: text,
  accessor: token.accessor,
  policies: token.policies,
  ttlSeconds: token.ttlSeconds,
  warnings,
})

export function tokensHandle(services: Services): TokensHandle {
  const { core, tokens } = services
  return {
    create: async ({ policies, role, token: text, ...input }) => {
      // Whoever embeds the service stands where a root token does, which is in no store.
      const root = rootToken({ digest: '', accessor: '' }, core.env())
      const bounds = await tokenBounds(services, rootNamespace)
      if (isRefused(bounds)) return bounds
      // None at all are not those of its parent, which is root, unless the role says which.
      const wanted = policies.length === 0 && role === undefined ? ['default'] : policies
      const given = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined))
      const made = await tokens.create(
        root,
        { ...given, policies: wanted, role, text, orphan: 'granted' },
        { sudo: true, namespace: rootNamespace, ...bounds },
      )
      if (!made.ok) return made
      return { ok: true, value: tokenMade(made.value) }
    },
    lookup: async (name) => {
      const found = await tokens.find(name)
      return found.ok ? { ok: true, value: found.value && tokens.view(found.value) } : found
    },
    renew: async (name, incrementSeconds = 0) => {
      const found = await tokens.find(name)
      if (!found.ok) return found
      return found.value
        ? renew(services, found.value, incrementSeconds)
        : refuse('token_not_found', 'token not found')
    },
    revoke: async (name) => {
      const found = await tokens.find(name)
      if (!found.ok) return found
      return found.value ? tokens.revoke(found.value) : { ok: true, value: false }
    },
    accessors: () => tokens.accessors(rootNamespace),
  }
}
