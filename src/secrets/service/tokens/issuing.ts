import { type Answer, type Env, type Refused, refuse, unwrap } from '../../../kernel/index.ts'
import type { Snapshot, Tx } from '../../../store/index.ts'
import type { Keyring } from '../../seal/keyring.ts'
import {
  type CreateTokenInput,
  type CreateTokenRefusal,
  createToken,
  type GrantedTtl,
  type RenewPolicy,
  type RenewRefusal,
  renewToken,
  rootToken,
  type Token,
  type TokenEvent,
} from '../../tokens/index.ts'
import type { Opened } from '../core/barrier.ts'
import type { Core, Namespace } from '../core/core.ts'
import { done } from '../core/decision.ts'
import { isLiving, putToken, tokenRecords, tokenRoles, wouldLive } from './records.ts'
import { customTokenProblem, type TokenStrings } from './token-strings.ts'

/** A new token: its text is returned only once. */
export interface Issued {
  readonly text: string
  readonly token: Token
  readonly warnings: readonly string[]
}

/** The keys of a token: the digest of its text, and its accessor, which is not secret. */
interface TokenNames {
  readonly digest: string
  readonly accessor: string
}

/** A token of an engine that is not stored yet. */
interface TokenJustMade {
  readonly ok: true
  readonly value: { readonly token: Token; readonly warnings: readonly string[] }
  readonly events: readonly TokenEvent[]
}

/** The limits of a creation or renewal: those of the mount. */
export interface TokenBounds {
  readonly defaultTtlSeconds: number
  readonly maxTtlSeconds: number
}

/** Why a token was not created. */
export type IssueRefusal =
  | CreateTokenRefusal
  | 'token_role_unknown'
  | 'token_duplicate'
  /** Its parent was revoked, or its namespace deleted, meanwhile. */
  | 'permission_denied'

/** The creation and renewal of tokens. */
export type TokenIssuing = ReturnType<typeof tokenIssuing>

/** The dependencies of tokens on the rest of a service. */
export interface TokenHooks {
  /** Whether a policy of that name is stored in a namespace. */
  readonly policyExists: (now: Snapshot, namespace: Namespace) => (name: string) => boolean
  /** Called for leftovers to sweep, and with instants of expiry. */
  readonly sweepAt: (instant: number) => void
}

export function tokenIssuing(core: Core, texts: TokenStrings, hooks: TokenHooks) {
  const gone = refuse('permission_denied', 'permission denied')
  const duplicate = refuse('token_duplicate', 'cannot create a token with a duplicate ID')

  /** The key of a token with this text. */
  const namesOf = (text: string, keyring: Keyring): TokenNames => ({
    digest: texts.digestOf(text, keyring),
    accessor: core.randomText(24),
  })

  /** Stores a token, unless its parent, its namespace or the auth method of its login is gone. */
  const store = async ({ view }: Opened, token: Token): Promise<'kept' | 'taken' | 'gone'> => {
    const { now: instant } = core.env()
    if (token.type === 'batch') return isLiving(await view.fresh(), token, instant) ? 'kept' : 'gone'
    const kept = unwrap(
      await core.commit<'kept' | 'taken' | 'gone'>((tx) => {
        if (tx.get(tokenRecords, token.digest)) return done('taken')
        if (!wouldLive(tx, token, instant)) return done('gone')
        putToken(tx, token)
        return done('kept')
      }),
    )
    if (kept === 'kept' && token.expiresAt !== null) hooks.sweepAt(token.expiresAt)
    return kept
  }

  /**
   * Stores a new token under a text, reports its event, and returns the text for the caller.
   *
   * @param taken - the refusal if another token has that text
   */
  const issue = async <Taken extends string>(
    opened: Opened,
    env: Env,
    drawn: string,
    { value: { token, warnings }, events }: TokenJustMade,
    taken: Refused<Taken>,
  ): Promise<Answer<Issued, Taken | 'permission_denied'>> => {
    const stored = await store(opened, token)
    if (stored !== 'kept') return stored === 'taken' ? taken : gone
    for (const event of events) core.emit({ at: env.now, namespace: token.namespace, ...event })
    const text = token.type === 'batch' ? texts.batchText(token, opened.keyring) : drawn
    return { ok: true, value: { text, token, warnings } }
  }

  return {
    /** Writes the first token, as a part of initialising the service. */
    plantRoot: (tx: Tx, text: string, env: Env, keyring: Keyring): void =>
      putToken(tx, rootToken(namesOf(text, keyring), env)),
    /** Stores a token that a login created, and returns its text. */
    keep: async <Code extends string>(
      make: (names: TokenNames, env: Env) => TokenJustMade | Refused<Code>,
    ): Promise<Answer<Issued, Code | 'permission_denied'>> => {
      const opened = core.barrier.enter()
      const env = core.env()
      const drawn = texts.draw()
      const made = make(namesOf(drawn, opened.keyring), env)
      return made.ok ? issue(opened, env, drawn, made, gone) : made
    },
    /** Creates a child of a token, or, with `role`, a token by that role. */
    create: async (
      parent: Token,
      {
        text: custom,
        role: roleName,
        ...input
      }: Omit<CreateTokenInput, 'digest' | 'accessor' | 'customText'> & {
        readonly text?: string | undefined
        readonly role?: string | undefined
      },
      { sudo, namespace, ...bounds }: { readonly sudo: boolean; readonly namespace: Namespace } & TokenBounds,
    ): Promise<Answer<Issued, IssueRefusal>> => {
      const opened = core.barrier.enter()
      const now = await opened.view.fresh()
      const role =
        roleName === undefined ? undefined : tokenRoles.get(now, namespace.id, roleName)?.value.role
      if (roleName !== undefined && role === undefined)
        return refuse('token_role_unknown', `unknown role ${roleName}`)
      const wrong = custom === undefined ? undefined : customTokenProblem(custom)
      if (wrong !== undefined) return refuse('token_invalid', wrong)
      const env = core.env()
      const drawn = custom ?? texts.draw()
      const made = createToken(
        parent,
        {
          ...input,
          ...namesOf(drawn, opened.keyring),
          namespace: namespace.path,
          namespaceId: namespace.id,
          customText: custom !== undefined,
        },
        env,
        { sudo, role, ...bounds, policyExists: hooks.policyExists(now, namespace) },
      )
      return made.ok ? issue(opened, env, drawn, made, duplicate) : made
    },
    renew: async (
      token: Token,
      incrementSeconds: number,
      policy: RenewPolicy,
    ): Promise<Answer<GrantedTtl & { readonly token: Token }, RenewRefusal | 'token_not_found'>> => {
      const renewed = await core.commit<
        GrantedTtl & { readonly token: Token },
        RenewRefusal | 'token_not_found'
      >((tx, env) => {
        const stored = token.type === 'batch' ? token : tx.get(tokenRecords, token.digest)?.value
        if (stored?.incarnation !== token.incarnation) return refuse('token_not_found', 'token not found')
        const made = renewToken(stored, { incrementSeconds }, env, policy)
        if (!made.ok) return made
        const { value, state } = made
        putToken(tx, state)
        return core.happened({ ...made, value: { ...value, token: state } }, { namespace: state.namespace })
      })
      const at = renewed.ok ? renewed.value.token.expiresAt : null
      if (at !== null) hooks.sweepAt(at)
      return renewed
    },
  }
}
