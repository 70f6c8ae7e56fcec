import type { Decision } from '../../acl/index.ts'
import type { Mount } from '../../mounts/index.ts'
import type { Token } from '../../tokens/index.ts'
import type { Namespace } from '../core.ts'
import { isMap } from '../fields.ts'
import { timeText } from '../kv/wire.ts'
import type { AuditDevice } from './device.ts'
import { type Hash, hashed } from './hashes.ts'

/** The data of an audited request. */
export interface AuditedRequest {
  readonly id: string
  readonly operation: string
  readonly namespace: Namespace
  readonly mount: Mount | undefined
  readonly path: string
  /** The token as it was sent, valid or not. */
  readonly text: string | undefined
  readonly token: Token | undefined
  readonly decision: Decision | undefined
  /** Body or query. */
  readonly data: unknown
  readonly address: string | undefined
  readonly wrapTtlSeconds: number
}

/** How one device spells a request and its answer. */
export interface AuditSpelling {
  readonly hash: Hash
  readonly device: AuditDevice
}

/** The part that both lines of a request share: the caller and the request. Serialised once. */
export const commonPart = (request: AuditedRequest, spelling: AuditSpelling): string =>
  `"auth":${JSON.stringify(authOf(request, spelling))},"request":${JSON.stringify(requestOf(request, spelling))}`

/** The line of a request, before anything is done. */
export const requestLine = (common: string, at: number, error: string): string =>
  `{"time":"${timeText(at)}","type":"request",${common},"error":${JSON.stringify(error)}}\n`

/** The line of an answer, before it is given. */
export const responseLine = (
  common: string,
  at: number,
  error: string,
  request: AuditedRequest,
  answer: unknown,
  spelling: AuditSpelling,
): string =>
  `{"time":"${timeText(at)}","type":"response",${common},"response":${JSON.stringify(responseOf(request, answer, spelling))},"error":${JSON.stringify(error)}}\n`

const accessorIn = (accessor: string, { hash, device }: AuditSpelling): string =>
  accessor === '' || device.hmacAccessor === false ? accessor : hash(accessor)

function authOf({ token, text, decision }: AuditedRequest, spelling: AuditSpelling) {
  if (token === undefined) return {}
  const sources = decision?.rule?.sources ?? []
  return {
    client_token: text === undefined ? '' : spelling.hash(text),
    accessor: accessorIn(token.accessor, spelling),
    display_name: token.displayName,
    policies: token.policies,
    token_policies: token.policies,
    ...(token.meta === null ? {} : { metadata: token.meta }),
    ...(decision === undefined
      ? {}
      : {
          policy_results: {
            allowed: decision.allowed,
            ...(decision.allowed
              ? { granting_policies: sources.map(({ policy }) => ({ name: policy, type: 'acl' })) }
              : {}),
          },
        }),
    token_type: token.type,
    token_issue_time: timeText(token.createdAt),
    ...(token.expiresAt === null ? {} : { token_ttl: token.creationTtlSeconds }),
  }
}

function requestOf(request: AuditedRequest, spelling: AuditSpelling) {
  const { mount, namespace, token, text, data } = request
  return {
    id: request.id,
    operation: request.operation,
    ...mountFields(mount),
    ...(text === undefined ? {} : { client_token: spelling.hash(text) }),
    ...(token === undefined ? {} : { client_token_accessor: accessorIn(token.accessor, spelling) }),
    namespace: namespace.path === '' ? { id: namespace.id } : { id: namespace.id, path: namespace.path },
    path: request.path,
    ...(isEmpty(data) ? {} : { data: hashed(data, spelling.hash) }),
    remote_address: request.address ?? '',
    ...(request.wrapTtlSeconds > 0 ? { wrap_ttl: request.wrapTtlSeconds } : {}),
  }
}

const mountFields = (mount: Mount | undefined) =>
  mount === undefined
    ? {}
    : { mount_point: mount.path, mount_type: mount.type, mount_accessor: mount.accessor }

const isEmpty = (data: unknown): boolean =>
  data === undefined || data === null || (isMap(data) && Object.keys(data).length === 0)

/** The parts of an envelope that say something; of any other answer the whole of it, as data. */
function responseOf({ mount, operation }: AuditedRequest, answer: unknown, spelling: AuditSpelling) {
  const fields = mountFields(mount)
  if (!isMap(answer) || 'errors' in answer) return fields
  if (!('request_id' in answer)) return { ...fields, data: hashed(answer, spelling.hash) }
  const { data, auth, wrap_info: wrapped, warnings } = answer
  const elides = spelling.device.elideListResponses === true && (operation === 'list' || operation === 'scan')
  return {
    ...fields,
    ...(isEmpty(data) ? {} : { data: hashed(elides ? counted(data) : data, spelling.hash) }),
    ...(isMap(auth) ? { auth: credentialsOf(auth, spelling) } : {}),
    ...(isMap(wrapped) ? { wrap_info: credentialsOf(wrapped, spelling) } : {}),
    ...(Array.isArray(warnings) ? { warnings } : {}),
  }
}

/** A list's names as their number. */
const counted = (data: unknown): unknown => {
  if (!isMap(data)) return data
  const count = (value: unknown) => {
    if (Array.isArray(value)) return value.length
    return isMap(value) ? Object.keys(value).length : value
  }
  const elided = ['keys', 'key_info'].filter((name) => name in data)
  return { ...data, ...Object.fromEntries(elided.map((name) => [name, count(data[name])])) }
}

/** A new token with its properties: the token and its accessors are hashed, the rest is not secret. */
function credentialsOf(given: Readonly<Record<string, unknown>>, spelling: AuditSpelling) {
  const spelled: Record<string, unknown> = { ...given }
  for (const name of ['client_token', 'token'])
    if (typeof given[name] === 'string') spelled[name] = spelling.hash(given[name])
  for (const name of ['accessor', 'wrapped_accessor'])
    if (typeof given[name] === 'string') spelled[name] = accessorIn(given[name], spelling)
  return spelled
}
