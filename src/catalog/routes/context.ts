import type * as z from 'zod'
import { type Call, type Reply, type Route, type RouteSpec, raw, reply, route } from '../../http/index.ts'
import type { Answer, Refused } from '../../kernel/index.ts'
import type { Caller } from '../accounts/access.ts'
import type { CatalogMethods, CredentialMethods } from '../operations/catalog-operations.ts'
import type { BoxDetail } from '../service/details.ts'
import { callerProblem } from '../service/guard.ts'
import type { boxTexts } from '../wire/box-texts.ts'

type BoxTexts = ReturnType<typeof boxTexts>

/**
 * The context of a catalog route: the caller, the caller's operations, and the public URL of the service.
 */
export interface CatalogContext {
  /** The caller. */
  readonly caller: Caller
  /** The token that identified the caller. */
  readonly token: string | undefined
  /** The operations of the caller. */
  readonly catalog: CatalogMethods
  /** The operations that need no caller. */
  readonly credentials: CredentialMethods
  /** `scheme://host`. */
  readonly base: string
  /** Writes a box as JSON. */
  readonly boxText: BoxTexts
}

/** Who may call a route: any client, any client whose token (if sent) is valid, or users. */
export const access = { open: 'open', read: 'read', write: 'write' } as const

/**
 * Declares a route of the catalog. A refusal that is neither listed nor one of an operation that it runs does not
 * compile.
 */
export const define = <
  const Path extends `/${string}` | '',
  P extends z.ZodType | undefined = undefined,
  Q extends z.ZodType | undefined = undefined,
  B extends z.ZodType | undefined = undefined,
  const Code extends string = never,
  const Run extends string = never,
>(
  spec: RouteSpec<CatalogContext, Path, P, Q, B, NoInfer<Code>, NoInfer<Run>> & {
    readonly refusals?: readonly Code[]
    readonly runs?: readonly { readonly refuses: readonly Run[] }[]
  },
): Route<CatalogContext, Code | Run> => route<CatalogContext>()(spec)

/** The options of routes that change something: callers must authenticate before the body is read. */
export const writing = {
  access: access.write,
  before: ({
    context,
  }: Pick<Call<CatalogContext, unknown, unknown>, 'context'>): Refused<'unauthenticated'> | undefined =>
    callerProblem(context.caller),
}

/** A box for the wire, or why it cannot be read. */
export const answeredBox = <Code extends string>(
  { boxText, base }: CatalogContext,
  answer: Answer<BoxDetail, Code>,
  view: Parameters<BoxTexts>[0],
  api: 1 | 2,
): Reply | Refused<Code> =>
  answer.ok ? raw(boxText(view, api, base, answer.value), 'application/json') : answer

/** An answer for the wire, or its refusal. */
export const answered = <Value, Code extends string>(
  answer: Answer<Value, Code>,
  view: (value: Value) => unknown,
): Reply | Refused<Code> => (answer.ok ? reply(view(answer.value)) : answer)
