import type { Reply } from '../../../http/index.ts'
import { operationRoutes } from '../../../http/route.ts'
import type { Env } from '../../../kernel/index.ts'
import type { Acl, AclRequest, Decision } from '../../acl/index.ts'
import type { Mount } from '../../mounts/index.ts'
import type { Caller, Core, Namespace } from './core.ts'
import { type EnvelopeParts, envelope } from './envelope.ts'
import { type ListPage, pageOf } from './list-page.ts'

/** The operations in one namespace. */
export interface Within {
  readonly core: Core
  readonly namespace: Namespace
}

/** The operations at one mount. */
export interface Sited extends Within {
  readonly mount: Mount
}

/**
 * The access of a route that checks no policy on its own path: its answer depends on the token's other rights. An
 * unknown token counts as none.
 */
export const anyTokenOrNone = 'any token, or none'

/** The rights that a request can need. */
export const operationNames = ['create', 'read', 'update', 'delete', 'list', 'scan', 'patch'] as const
export type Operation = (typeof operationNames)[number]

/** A decision that may have to be repeated once the body is read. */
export interface Decided {
  readonly acl: Acl
  readonly request: AclRequest
  /** Whether it depends on parameters, and therefore is not final yet. */
  readonly restsOnParameters: boolean
}

/**
 * The context of a route of the secrets service: the caller, the target and the operation. The service creates it; an
 * embedding program only names its type, as in `Route<SecretsContext>`.
 */
export interface SecretsContext extends Sited {
  /** Time and identifiers of this request. */
  readonly env: Env
  readonly requestId: string
  /** The whole path within the namespace: `secret/data/app`. */
  readonly path: string
  readonly operation: Operation
  /** The TTL for wrapping the answer, in seconds; 0 for no wrapping. */
  readonly wrapTtlSeconds: number
  /** The caller; `undefined` on routes that need no token. */
  readonly caller: Caller | undefined
  /** Whether the deciding rule also grants `sudo`. */
  readonly sudo: boolean
  /** The decision before the body was read, and its rights; `undefined` on routes that need no token. */
  readonly decided: Decided | undefined
  /** The requested part of a list; `undefined` for all of it. */
  readonly page: ListPage | undefined
  /** The rule that allowed the request; `undefined` if no policy was checked. */
  readonly decision: Decision | undefined
  /** The client's IP address, if known. */
  readonly address: string | undefined
}

/** Declares a route of the secrets service by the operation that does its work. */
export const operationRoute = operationRoutes((context: SecretsContext) => context)

/** The parts of a request that its envelope repeats. */
type Answering = Pick<SecretsContext, 'requestId' | 'mount'>

/** A call of a route, for the functions that show a value. */
interface Answered {
  readonly context: SecretsContext
}

/** Answers with an envelope; 200 by default. */
export const answerWith = ({ requestId, mount }: Answering, parts: EnvelopeParts, status = 200): Reply => ({
  status,
  body: envelope(requestId, mount.type, parts),
})

/** Returns 204, or 200 with an envelope if there are warnings. */
export const answerDone = (context: Answering, warnings: readonly string[] = []): Reply =>
  warnings.length === 0 ? { status: 204 } : answerWith(context, { warnings })

/** Answers with data both at the top and in the envelope, as system routes do: clients read either. */
export const answerTwice = (
  { requestId, mount }: Answering,
  data: Readonly<Record<string, unknown>>,
): Reply => ({ body: { ...data, ...envelope(requestId, mount.type, { data }) } })

/** A list, or 404 without a message if it is empty. */
export const answerKeys = (
  context: Answering & Pick<SecretsContext, 'page'>,
  all: readonly string[],
): Reply => {
  const keys = pageOf(all, context.page)
  return keys.length === 0 ? notFound : answerWith(context, { data: { keys } })
}

/** A 404 without errors: nothing was found. */
export const notFound: Reply = { status: 404, body: { errors: [] } }

/** Shows names as a list. */
export const asKeys = (names: readonly string[], { context }: Answered): Reply => answerKeys(context, names)

/** Shows a value as the data of an envelope; nothing is a 404. */
export const asData =
  <Value>(wire: (value: Value) => unknown) =>
  (value: Value | undefined, { context }: Answered): Reply =>
    value === undefined ? notFound : answerWith(context, { data: wire(value) })

/** Shows nothing but warnings. */
export const asWarnings = (warnings: readonly string[], { context }: Answered): Reply =>
  answerDone(context, warnings)
