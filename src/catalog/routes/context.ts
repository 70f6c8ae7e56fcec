import type * as z from 'zod'
import { type Call, type Reply, type Route, type RouteSpec, reply, route } from '../../http/index.ts'
import type { Answer, Refused } from '../../kernel/index.ts'
import type { Caller } from '../accounts/access.ts'
import { callerProblem } from '../service/guard.ts'
import type { LogInMethods } from '../service/log-in.ts'
import type { CatalogMethods, ServedMethods } from '../service/methods.ts'
import type { TokenMethods } from '../service/tokens.ts'

/**
 * What a route of the catalog knows: who calls, what the caller may do, and where clients reach the service.
 *
 * @public
 */
export interface CatalogContext {
  /** Who calls. */
  readonly caller: Caller
  /** The token the caller was known by. */
  readonly token: string | undefined
  /** What the caller may do. */
  readonly catalog: CatalogMethods
  /** What makes and checks tokens. */
  readonly accounts: TokenMethods & LogInMethods
  /** Takes the bytes of an upload by its secret. */
  readonly receiveUpload: ServedMethods['receiveUpload']
  /** `scheme://host`. */
  readonly base: string
}

/** How a route is entered: by anybody whatever they carry, by anybody whose token is good, or by users. */
export const access = { open: 'open', read: 'read', write: 'write' } as const

/** What every look at a box may be refused for. */
export const seeing = ['bad_token', 'not_found', 'delinquent'] as const
/** What every change of a box may be refused for. */
export const changing = [...seeing, 'unauthenticated', 'forbidden', 'contended'] as const

/** Declares a route of the catalog. What it refuses has to be listed: a refusal that is not does not compile. */
export const define = <
  const Path extends `/${string}` | '',
  const Code extends string,
  P extends z.ZodType | undefined = undefined,
  Q extends z.ZodType | undefined = undefined,
  B extends z.ZodType | undefined = undefined,
>(
  spec: RouteSpec<CatalogContext, Path, P, Q, B, NoInfer<Code>> & { readonly refusals: readonly Code[] },
): Route<CatalogContext, Code> => route<CatalogContext>()(spec)

/** Runs before the body is read: who is nobody may change nothing. */
export const somebody = ({
  context,
}: Pick<Call<CatalogContext, unknown, unknown>, 'context'>): Refused<'unauthenticated'> | undefined =>
  callerProblem(context.caller)

/** An answer for the wire, or its refusal. */
export const answered = <Value, Code extends string>(
  answer: Answer<Value, Code>,
  view: (value: Value) => unknown,
  status = 200,
): Reply | Refused<Code> => (answer.ok ? reply(view(answer.value), { status }) : answer)
