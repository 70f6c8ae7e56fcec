/**
 * The HTTP rim: route tables that become fetch handlers, OpenAPI documents and help texts.
 *
 * @packageDocumentation
 */
export type { Refusal, Refused } from '../kernel/index.ts'
export { limitBody } from './body-limit.ts'
export type { Call, CallWithBody, Captures, Method, PathParams } from './call.ts'
export { type ErrorDialect, errorsArray, errorsWithSuccess, plainText } from './dialects.ts'
export type { Encoded } from './encode.ts'
export { describeIssues, type EdgeCode, edgeStatus, formatPath } from './errors.ts'
export { endpointTable, helpText } from './help.ts'
export { type Match, type Matched, matcher } from './match.ts'
export { basePathOf, type FetchHandler, mount } from './mount.ts'
export { type OpenApiDocument, openapi } from './openapi.ts'
export type { Credentials, OpenApiEdge, SecurityScheme } from './openapi-rim.ts'
export { type Peer, peerOf, setPeer } from './peer.ts'
export {
  Invalid,
  type Reader,
  type ReceivedBody,
  type RequestPart,
  type Schema,
  type SchemaOutput,
} from './reading.ts'
export { noContent, type RawBody, type Reply, raw, redirect, reply } from './reply.ts'
export type { RequestRecord } from './request-record.ts'
export { type OtherAnswer, type Route, type RouteSpec, route } from './route.ts'
export { defineService } from './service.ts'
export type { HttpService, ServiceSpec } from './service-spec.ts'
export { type Words, words } from './words.ts'
