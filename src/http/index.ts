/**
 * The HTTP edge: route tables that become fetch handlers, OpenAPI documents and help texts.
 *
 * @packageDocumentation
 */

// Start here

export { mount } from './mount.ts'
export { defineService } from './service.ts'

// The rest, by kind

export type { Refusal, Refused } from '../kernel/index.ts'
export { formatPath } from '../operation/format-path.ts'
export { withBodyLimit } from './body-limit.ts'
export type { BrowserView, ViewContent } from './browser-view.ts'
export type { Call, CallWithBody, Captures, Method, PathParams } from './call.ts'
export { type ErrorDialect, errorsArray, errorsWithSuccess, plainText } from './dialects.ts'
export type { Encoded } from './encode.ts'
export { describeIssues, type EdgeCode, edgeStatus } from './errors.ts'
export type { Answered, AnswerHeaders, Exchange, ExchangeHandler, RequestBody } from './exchange.ts'
export type { FetchHandler, RequestContext, ServiceFetch } from './fetch.ts'
export { type ForwardedForRules, withForwardedFor } from './forwarded-for.ts'
export { endpointTable, helpText } from './help.ts'
export { type Match, type Matched, matcher } from './match.ts'
export { type OpenApiDocument, openapi } from './openapi.ts'
export type { Credentials, OpenApiEdge, SecurityScheme } from './openapi-edge.ts'
export type { Peer } from './peer.ts'
export type { RefusalCode } from './refusal-codes.ts'
export { noContent, type RawBody, type Reply, raw, redirect, reply } from './reply.ts'
export type { RequestRecord } from './request-record.ts'
export {
  type OtherAnswer,
  type RefusalsOf,
  type RequestPart,
  type Route,
  type RouteSpec,
  route,
  type Schema,
  type SchemaOutput,
} from './route.ts'
export type { ConsoleUrl, ServicePage } from './service-page.ts'
export type { HttpService, ReceivedCall, ServiceSpec } from './service-spec.ts'
export { type TracingApi, type TracingSpan, type TracingTracer, traced } from './traced.ts'
export { type Words, words } from './words.ts'
