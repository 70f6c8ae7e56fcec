import { type Env, type Refused, refuse } from '../../kernel/index.ts'
import { type Snapshot, type Tx, transact } from '../../store/index.ts'
import type { Keyring } from '../seal/keyring.ts'
import { addressWithin } from '../tokens/bound-cidrs.ts'
import {
  type CreateTokenInput,
  type CreateTokenRefusal,
  createToken,
  type GrantedTtl,
  lookupToken,
  orphanToken,
  type RenewPolicy,
  type RenewRefusal,
  renewToken,
  revocationProblem,
  rootToken,
  type Token,
  type TokenEvent,
  type TokenView,
  useToken,
} from '../tokens/index.ts'
import type { SecretsAnswer } from './answer.ts'
import type { Opened } from './barrier.ts'
import { type Core, isRefused, type Namespace } from './core.ts'
import {
  childrenOf,
  endToken,
  isLiving,
  markLate,
  putToken,
  tokenAt,
  tokenRecords,
  tokenRoles,
  wouldLive,
} from './token-records.ts'
import { type TokenRolesService, tokenRolesService } from './token-roles.ts'
import { customTextProblem, type TokenTexts, tokenTexts } from './token-texts.ts'

/** Who makes a request. */
export interface Caller {
  readonly token: Token
  /** The token as it was sent: what `lookup-self` shows as its id. */
  readonly text: string
}

/** A token that was just made: its text is told once. */
export interface Issued {
  readonly text: string
  readonly token: Token
  readonly warnings: readonly string[]
}

/** How a token is named: by its text, or by its accessor. */
export type TokenName = { readonly text: string } | { readonly accessor: string }

/** The bounds that a creation or renewal goes by: those of the mount. */
export interface TokenBounds {
  readonly defaultTtlSeconds: number
  readonly maxTtlSeconds: number
}

/** Why a token was not made. @public */
export type IssueRefusal =
  | CreateTokenRefusal
  | 'token_role_unknown'
  | 'token_duplicate'
  /** Its parent, or its namespace, ended meanwhile. */
  | 'permission_denied'

/** The tokens of a service. */
export interface TokensService extends TokenRolesService {
  readonly texts: TokenTexts
  /** Writes the first token, as a part of initialising the service. */
  readonly plantRoot: (tx: Tx, text: string, env: Env, keyring: Keyring) => void
  /** The living token that a text is, where it may be used from an address; counts nothing. */
  readonly authenticate: (
    text: string,
    address: string | undefined,
  ) => Promise<Caller | undefined | Refused<'sealed'>>
  /** The token of a caller as it is now, while it is alive; the last request it may make is one of its life. */
  readonly still: (caller: Caller) => Promise<Token | undefined | Refused<'sealed'>>
  /** Counts one request of a token with limited uses; `undefined` when somebody else had the last one. */
  readonly use: (caller: Caller) => Promise<{ readonly caller: Caller; readonly last: boolean } | undefined>
  /** Makes a child of a token, or with `role` what the role says. */
  readonly create: (
    parent: Token,
    input: Omit<CreateTokenInput, 'digest' | 'accessor' | 'customText'> & {
      readonly text?: string | undefined
      readonly role?: string | undefined
    },
    rights: { readonly sudo: boolean; readonly namespace: Namespace } & TokenBounds,
  ) => Promise<SecretsAnswer<Issued, IssueRefusal>>
  /** Keeps a token that was made elsewhere (a login), and gives its text. */
  readonly keep: <Code extends string>(
    make: (
      names: { readonly digest: string; readonly accessor: string },
      env: Env,
    ) =>
      | {
          readonly ok: true
          readonly value: { readonly token: Token; readonly warnings: readonly string[] }
          readonly events: readonly TokenEvent[]
        }
      | Refused<Code>,
  ) => Promise<SecretsAnswer<Issued, Code | 'permission_denied'>>
  /** The living token of a name; with `within`, only one of that namespace or of those below it. */
  readonly find: (name: TokenName, within?: Namespace) => Promise<SecretsAnswer<Token | undefined>>
  readonly view: (token: Token) => TokenView
  readonly renew: (
    token: Token,
    incrementSeconds: number,
    policy: RenewPolicy,
  ) => Promise<SecretsAnswer<GrantedTtl & { readonly token: Token }, RenewRefusal | 'token_not_found'>>
  /** Ends a token with all its descendants. */
  readonly revoke: (token: Token) => Promise<SecretsAnswer<boolean, 'not_revocable'>>
  /** Ends a token alone: its children become orphans. */
  readonly revokeAlone: (token: Token) => Promise<SecretsAnswer<boolean, 'not_revocable'>>
  /** Ends stored tokens, living or not, with their descendants: those of what is gone. */
  readonly revokeAll: (isMeant: (token: Token) => boolean) => Promise<void>
  /** The accessors of all living tokens of a namespace. */
  readonly accessors: (namespace: Namespace) => Promise<SecretsAnswer<readonly string[]>>
}

export function tokensService(
  core: Core,
  hooks: {
    /** Whether a policy of that name is stored in a namespace. */
    readonly policyExists: (opened: Opened, namespace: Namespace) => Promise<(name: string) => boolean>
    /** Hears of garbage, and of instants when something expires. */
    readonly sweepAt: (instant: number) => void
  },
): TokensService {
  const texts = tokenTexts(core)
  const emit = (env: Env, token: Token, events: readonly TokenEvent[]) => {
    for (const event of events) core.emit({ at: env.now, namespace: token.namespace, ...event })
  }
  const alive = (now: Snapshot, token: Token | undefined): Token | undefined =>
    token && isLiving(now, token, core.env().now) ? token : undefined

  const tokenIn = (now: Snapshot, { keyring }: Opened, name: TokenName): Token | undefined =>
    alive(
      now,
      'accessor' in name
        ? tokenRecords.find(now, 'accessor', name.accessor)?.value
        : (tokenAt(now, texts.digestOf(name.text, keyring)) ?? texts.readBatch(name.text, keyring)),
    )

  const find: TokensService['find'] = async (name, within) => {
    const opened = core.barrier.enter()
    if (isRefused(opened)) return opened
    const found = tokenIn(await opened.view.fresh(), opened, name)
    return { ok: true, value: found?.namespace.startsWith(within?.path ?? '') ? found : undefined }
  }

  const revoke = async (token: Token, alone: boolean): Promise<SecretsAnswer<boolean, 'not_revocable'>> => {
    const refused = revocationProblem(token)
    if (refused) return refused
    const opened = core.barrier.enter()
    if (isRefused(opened)) return opened
    const env = core.env()
    const { result } = await transact(opened.view, core.newCommitId, (tx) => {
      const stored = tx.get(tokenRecords, token.digest)?.value
      if (stored?.incarnation !== token.incarnation) return 'gone'
      if (alone) {
        const children = childrenOf(tx.now, stored, maxFreed)
        for (const child of children) {
          const orphan = orphanToken(child, undefined, env)
          if (orphan.ok) putToken(tx, orphan.state)
        }
        // Its children must all be free before it goes: some live on while the next are freed.
        if (children.length === maxFreed) return 'more'
      }
      endToken(tx, stored)
      return 'ended'
    })
    if (result === 'more') return revoke(token, alone)
    if (result === 'ended') {
      await markLate(opened.view, core.newCommitId, [token])
      emit(env, token, [{ type: 'token.revoked', accessor: token.accessor }])
      hooks.sweepAt(env.now)
    }
    return { ok: true, value: result === 'ended' }
  }

  const keep: TokensService['keep'] = async (make) => {
    const opened = core.barrier.enter()
    if (isRefused(opened)) return opened
    const env = core.env()
    const drawn = texts.draw()
    const made = make({ digest: texts.digestOf(drawn, opened.keyring), accessor: core.randomText(24) }, env)
    if (!made.ok) return made
    const { token, warnings } = made.value
    if ((await store(opened, token)) !== 'kept') return gone
    emit(env, token, made.events)
    const text = token.type === 'batch' ? texts.batchText(token, opened.keyring) : drawn
    return { ok: true, value: { text, token, warnings } }
  }

  const gone = refuse('permission_denied', 'permission denied')

  /** Keeps a token, unless what it depends on has ended: its parent, its namespace, the auth method of its login. */
  const store = async ({ view }: Opened, token: Token): Promise<'kept' | 'taken' | 'gone'> => {
    const { now: instant } = core.env()
    if (token.type === 'batch') return isLiving(await view.fresh(), token, instant) ? 'kept' : 'gone'
    const { result } = await transact(view, core.newCommitId, (tx) => {
      if (tx.get(tokenRecords, token.digest)) return 'taken'
      if (!wouldLive(tx, token, instant)) return 'gone'
      putToken(tx, token)
      return 'kept'
    })
    if (result === 'kept' && token.expiresAt !== null) hooks.sweepAt(token.expiresAt)
    return result
  }

  return {
    texts,
    find,
    keep,
    plantRoot: (tx, text, env, keyring) =>
      putToken(tx, rootToken({ digest: texts.digestOf(text, keyring), accessor: core.randomText(24) }, env)),
    authenticate: async (text, address) => {
      const opened = core.barrier.enter()
      if (isRefused(opened)) return opened
      // The door has read afresh for this request already, to find the mount.
      const token = tokenIn(opened.view.stale(), opened, { text })
      if (token === undefined || !addressWithin(token.boundCidrs, address)) return undefined
      return { token, text }
    },
    still: async ({ token }) => {
      const opened = core.barrier.enter()
      if (isRefused(opened)) return opened
      const now = await opened.view.fresh()
      const stored = token.type === 'batch' ? token : tokenAt(now, token.digest)
      if (stored?.incarnation !== token.incarnation) return undefined
      return isLiving(now, { ...stored, numUses: 0 }, core.env().now) ? stored : undefined
    },
    use: async (caller) => {
      if (caller.token.numUses === 0) return { caller, last: false }
      const opened = core.barrier.enter()
      if (isRefused(opened)) return undefined
      const env = core.env()
      const { result } = await transact(opened.view, core.newCommitId, (tx) => {
        const stored = tx.get(tokenRecords, caller.token.digest)?.value
        if (stored === undefined || stored.numUses < 0) return undefined
        const used = useToken(stored, undefined, env)
        if (used.ok && used.state !== stored) putToken(tx, used.state)
        return used
      })
      if (result === undefined || !result.ok) return undefined
      emit(env, result.state, result.events)
      return { caller: { ...caller, token: result.state }, last: result.value.last }
    },
    create: async (parent, { text: custom, role: roleName, ...input }, { sudo, namespace, ...bounds }) => {
      const opened = core.barrier.enter()
      if (isRefused(opened)) return opened
      const now = await opened.view.fresh()
      const role =
        roleName === undefined ? undefined : tokenRoles.get(now, namespace.id, roleName)?.value.role
      if (roleName !== undefined && role === undefined)
        return refuse('token_role_unknown', `unknown role ${roleName}`)
      const wrong = custom === undefined ? undefined : customTextProblem(custom)
      if (wrong !== undefined) return refuse('token_invalid', wrong)
      const env = core.env()
      const drawn = custom ?? texts.draw()
      const made = createToken(
        parent,
        {
          ...input,
          namespace: namespace.path,
          namespaceId: namespace.id,
          digest: texts.digestOf(drawn, opened.keyring),
          accessor: core.randomText(24),
          customText: custom !== undefined,
        },
        env,
        { sudo, role, ...bounds, policyExists: await hooks.policyExists(opened, namespace) },
      )
      if (!made.ok) return made
      const { token, warnings } = made.value
      const stored = await store(opened, token)
      if (stored === 'gone') return gone
      if (stored === 'taken') return refuse('token_duplicate', 'cannot create a token with a duplicate ID')
      emit(env, token, made.events)
      const text = token.type === 'batch' ? texts.batchText(token, opened.keyring) : drawn
      return { ok: true, value: { text, token, warnings } }
    },
    view: (token) => lookupToken(token, core.env().now),
    renew: async (token, incrementSeconds, policy) => {
      const opened = core.barrier.enter()
      if (isRefused(opened)) return opened
      const env = core.env()
      const { result } = await transact(opened.view, core.newCommitId, (tx) => {
        const stored = token.type === 'batch' ? token : tx.get(tokenRecords, token.digest)?.value
        if (stored?.incarnation !== token.incarnation) return refuse('token_not_found', 'token not found')
        const renewed = renewToken(stored, { incrementSeconds }, env, policy)
        if (renewed.ok) putToken(tx, renewed.state)
        return renewed
      })
      if (!result.ok) return result
      emit(env, result.state, result.events)
      if (result.state.expiresAt !== null) hooks.sweepAt(result.state.expiresAt)
      return { ok: true, value: { ...result.value, token: result.state } }
    },
    revoke: (token) => revoke(token, false),
    revokeAlone: (token) => revoke(token, true),
    revokeAll: async (isMeant) => {
      const opened = core.barrier.enter()
      if (isRefused(opened)) return
      for (const { value: token } of tokenRecords.list(await opened.view.fresh()))
        if (isMeant(token)) await revoke(token, false)
    },
    accessors: async (namespace) => {
      const opened = core.barrier.enter()
      if (isRefused(opened)) return opened
      const now = await opened.view.fresh()
      const tokens = tokenRecords
        .list(now)
        .filter(({ value }) => value.namespace === namespace.path && alive(now, value))
      return { ok: true, value: tokens.map(({ value }) => value.accessor).sort() }
    },
    ...tokenRolesService(core),
  }
}

/** Children freed in one commit: each is a token and its place below its parent. */
const maxFreed = 24
