import { type Answer, type Env, type Refused, refuse, unwrap } from '../../../kernel/index.ts'
import type { Tx } from '../../../store/index.ts'
import type { Keyring } from '../../seal/keyring.ts'
import {
  type CreateTokenInput,
  type CreateTokenRefusal,
  createToken,
  rootToken,
  type Token,
  type TokenEvent,
} from '../../tokens/index.ts'
import type { Opened } from '../core/barrier.ts'
import type { Within } from '../core/context.ts'
import type { Core } from '../core/core.ts'
import { done } from '../core/decision.ts'
import { mountsIn } from '../core/find-mounts.ts'
import { admitLogin } from '../identity/logins.ts'
import { policyExists } from '../policies/records.ts'
import { isLiving, putToken, tokenRecords, tokenRoles, wouldLive } from './records.ts'
import { batchString, customTokenProblem, digestOf, drawTokenString } from './token-strings.ts'

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

const gone = refuse('permission_denied', 'permission denied')
const duplicate = refuse('token_duplicate', 'cannot create a token with a duplicate ID')

/** The key of a token with this text. */
const namesOf = (core: Core, text: string, keyring: Keyring): TokenNames => ({
  digest: digestOf(core, text, keyring),
  accessor: core.randomText(24),
})

/** Stores a token, unless its parent, its namespace or the auth method of its login is gone. */
async function store(core: Core, { view }: Opened, token: Token): Promise<'kept' | 'taken' | 'gone'> {
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
  if (kept === 'kept' && token.expiresAt !== null) core.sweeper.at(token.expiresAt)
  return kept
}

/**
 * Stores a new token under a text, reports its event, and returns the text for the caller.
 *
 * @param taken - the refusal if another token has that text
 */
async function issue<Taken extends string>(
  core: Core,
  opened: Opened,
  env: Env,
  drawn: string,
  { value: { token, warnings }, events }: TokenJustMade,
  taken: Refused<Taken>,
): Promise<Answer<Issued, Taken | 'permission_denied'>> {
  const stored = await store(core, opened, token)
  if (stored !== 'kept') return stored === 'taken' ? taken : gone
  for (const event of events) core.emit({ at: env.now, namespace: token.namespace, ...event })
  const text = token.type === 'batch' ? batchString(token, opened.keyring) : drawn
  return { ok: true, value: { text, token, warnings } }
}

/** Writes a root token, as a part of another change. */
export const plantRoot = (core: Core, tx: Tx, text: string, env: Env, keyring: Keyring): void =>
  putToken(tx, rootToken(namesOf(core, text, keyring), env))

/** Stores a token that a login created, and returns its text. */
export async function keepToken<Code extends string>(
  core: Core,
  make: (names: TokenNames, env: Env) => TokenJustMade | Refused<Code>,
): Promise<Answer<Issued, Code | 'permission_denied'>> {
  const opened = core.barrier.enter()
  const env = core.env()
  const drawn = drawTokenString(core)
  const made = make(namesOf(core, drawn, opened.keyring), env)
  return made.ok ? issue(core, opened, env, drawn, made, gone) : made
}

/** The entity of a name at the token store of a namespace; created if there is none. */
async function entityOfAlias(
  at: Within,
  alias: string,
): Promise<Answer<Token['entity'], 'token_invalid' | 'permission_denied'>> {
  const mount = (await mountsIn(at.core, at.namespace, 'auth')).find(({ type }) => type === 'token')
  const found = mount && (await admitLogin(at, mount, alias, []))
  if (found === undefined) return gone
  return found.isDisabled
    ? refuse('token_invalid', 'entity from given entity alias is disabled')
    : { ok: true, value: { namespace: found.namespace, id: found.id } }
}

/** The options of a child of a token. */
export type ChildInput = Omit<CreateTokenInput, 'digest' | 'accessor' | 'customText' | 'entity'> & {
  readonly text?: string | undefined
  readonly role?: string | undefined
}

/** Creates a child of a token, or, with `role`, a token by that role. */
export async function createChild(
  { core, namespace }: Within,
  parent: Token,
  { text: custom, role: roleName, ...input }: ChildInput,
  bounds: { readonly sudo: boolean } & TokenBounds,
): Promise<Answer<Issued, IssueRefusal>> {
  const opened = core.barrier.enter()
  const now = await opened.view.fresh()
  const role = roleName === undefined ? undefined : tokenRoles.get(now, namespace.id, roleName)?.value.role
  if (roleName !== undefined && role === undefined)
    return refuse('token_role_unknown', `unknown role ${roleName}`)
  const wrong = custom === undefined ? undefined : customTokenProblem(custom)
  if (wrong !== undefined) return refuse('token_invalid', wrong)
  const env = core.env()
  const drawn = custom ?? drawTokenString(core)
  const names = namesOf(core, drawn, opened.keyring)
  const make = (entity: Token['entity']) =>
    createToken(
      parent,
      {
        ...input,
        ...(entity === undefined ? {} : { entity }),
        ...names,
        namespace: namespace.path,
        namespaceId: namespace.id,
        customText: custom !== undefined,
      },
      env,
      { role, ...bounds, policyExists: (name) => policyExists(now, namespace, name) },
    )
  let made = make(undefined)
  if (made.ok && input.entityAlias) {
    // It is created for a token that may have it only.
    const entity = await entityOfAlias({ core, namespace }, input.entityAlias)
    if (!entity.ok) return entity
    made = make(entity.value)
  }
  return made.ok ? issue(core, opened, env, drawn, made, duplicate) : made
}
