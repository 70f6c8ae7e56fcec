import { type Call, type Reply, raw, reply } from '../../http/index.ts'
import { operationRoutes } from '../../http/route.ts'
import { type Refused, refuse } from '../../kernel/index.ts'
import type { Caller } from '../accounts/access.ts'
import type { Core } from '../service/core.ts'
import type { BoxDetail } from '../service/details.ts'
import { callerProblem } from '../service/guard.ts'
import type { boxTexts } from '../wire/box-texts.ts'
import { type Voice, voiceOf } from '../wire/views.ts'

type BoxTexts = ReturnType<typeof boxTexts>

/**
 * The context of a catalog route: the caller, the caller's operations, and the public URL of the service.
 */
export interface CatalogContext {
  /** The caller. */
  readonly caller: Caller
  /** The token that identified the caller. */
  readonly token: string | undefined
  /** The parts of the catalog, with the caller as the actor. */
  readonly core: Core
  /** The same with the embedding program as the actor. */
  readonly host: Core
  /** `scheme://host`. */
  readonly base: string
  /** Writes a box as JSON. */
  readonly boxText: BoxTexts
}

/** Who may call a route: any client, any client whose token (if sent) is valid, or users. */
export const access = { open: 'open', read: 'read', write: 'write' } as const

/** Declares a route of the catalog by the operation that does its work, on behalf of the caller. */
export const operationRoute = operationRoutes(({ core }: CatalogContext) => core)

/** Sends Retry-After with refusals that end with time. */
function withRetryAfter<Code extends string>(refused: Refused<Code>): Refused<Code> {
  const { code, message, detail } = refused.refusal
  const seconds = detail?.['retryAfterSeconds']
  return typeof seconds === 'number'
    ? refuse(code, message, { headers: { 'retry-after': String(seconds) } })
    : refused
}

/** The same for an operation that a password, a token or a secret authorises: it does not depend on the caller. */
export const credentialRoute = operationRoutes(({ host }: CatalogContext) => host, withRetryAfter)

/** The options of routes that change something: callers must authenticate before the body is read. */
export const writing = {
  access: access.write,
  before: ({
    context,
  }: Pick<Call<CatalogContext, unknown, unknown>, 'context'>): Refused<'unauthenticated'> | undefined =>
    callerProblem(context.caller),
}

/** A call of a route, for the functions that answer. */
interface Answered {
  readonly context: CatalogContext
}

/** Shows a box. */
export const asBox =
  (view: Parameters<BoxTexts>[0], api: 1 | 2) =>
  (detail: BoxDetail, { context: { boxText, base } }: Answered): Reply =>
    raw(boxText(view, api, base, detail), 'application/json')

/** Shows a value as a version of the API spells it. */
export const asSpelled =
  <Value>(api: 1 | 2, view: (voice: Voice, value: Value) => unknown) =>
  (value: Value, { context }: Answered): Reply =>
    reply(view(voiceOf(api, context), value))
