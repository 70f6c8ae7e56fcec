import { isObject } from '../../../kernel/objects.ts'
import type { CompiledRule, Decision } from '../../acl/index.ts'
import type { Mount } from '../../mounts/index.ts'
import type { Token } from '../../tokens/index.ts'
import type { AuditDevice } from '../core/audit-device.ts'
import type { Namespace } from '../core/core.ts'
import { JsonText } from '../core/envelope.ts'
import { timeText } from '../core/time-text.ts'
import { type Hash, hashedJson } from './hashed-json.ts'
import type { Hashes } from './hashes.ts'

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

/** How one device spells requests and answers. Lines are put together as text: every request writes two of them. */
export type Spelling = ReturnType<typeof spellingFor>

/** What lines say of a token, as long as it stays the same and the same rule allows or forbids what it asks for. */
interface KnownCaller {
  readonly text: string | undefined
  readonly rule: CompiledRule | undefined
  readonly allowed: boolean | undefined
  readonly auth: string
  /** The fields of the request that name the token. */
  readonly fields: string
}

/** How a device spells requests and answers with the hashes of a key ring. */
export function spellingFor(device: AuditDevice, hashes: Hashes) {
  const { once } = hashes
  const callerOf = callersOf(device, hashes)
  const mountFields = fieldsOfMounts()
  const answerFields = fieldsOfAnswers(device, hashes)

  return {
    /** What both lines of a request say of it: who asked, and for what. */
    common: (request: AuditedRequest): string => {
      const { namespace, token, text, data, wrapTtlSeconds } = request
      const caller = token && callerOf(token, request)
      const sent = caller || text === undefined ? '' : `,"client_token":"${once(text)}"`
      const within = namespace.path === '' ? '' : `,"path":${JSON.stringify(namespace.path)}`
      return (
        `"auth":${caller?.auth ?? '{}'},"request":{"id":${JSON.stringify(request.id)},` +
        `"operation":"${request.operation}"${mountFields(request.mount)}${caller?.fields ?? sent},` +
        `"namespace":{"id":${JSON.stringify(namespace.id)}${within}},"path":${JSON.stringify(request.path)}` +
        `${isEmpty(data) ? '' : `,"data":${hashedJson(data, once, request.mount?.auditNonHmacRequestKeys)}`},` +
        `"remote_address":${JSON.stringify(request.address ?? '')}` +
        `${wrapTtlSeconds > 0 ? `,"wrap_ttl":${wrapTtlSeconds}` : ''}}`
      )
    },
    /** The line of a request, before anything is done. */
    requestLine: (common: string, at: string, error: string): string =>
      `{"time":"${at}","type":"request",${common},"error":${JSON.stringify(error)}}\n`,
    /** The line of an answer, before it is given. */
    responseLine: (
      common: string,
      at: string,
      error: string,
      { mount, operation }: AuditedRequest,
      answer: unknown,
    ): string => {
      const of = mountFields(mount)
      const fields = answerFields(operation, mount, answer)
      // A slice of a joined string would copy it: that of the mount is whole.
      const response = of === '' ? fields.slice(1) : `${of.slice(1)}${fields}`
      return (
        `{"time":"${at}","type":"response",${common},"response":{${response}},` +
        `"error":${JSON.stringify(error)}}\n`
      )
    },
  }
}

/** Spells callers, again only when something about them changes. */
function callersOf(device: AuditDevice, { kept }: Hashes) {
  const callers = new WeakMap<Token, KnownCaller>()
  return (token: Token, { text, decision }: AuditedRequest): KnownCaller => {
    const known = callers.get(token)
    if (
      known !== undefined &&
      known.text === text &&
      known.rule === decision?.rule &&
      known.allowed === decision?.allowed
    )
      return known
    const client = text === undefined ? '' : kept(text)
    const accessor = accessorIn(token.accessor, device, kept)
    const caller: KnownCaller = {
      text,
      rule: decision?.rule,
      allowed: decision?.allowed,
      auth: JSON.stringify({
        client_token: client,
        accessor,
        display_name: token.displayName,
        policies: token.policies,
        token_policies: token.policies,
        ...(token.meta === null ? {} : { metadata: token.meta }),
        ...(decision === undefined ? {} : { policy_results: resultsOf(decision) }),
        token_type: token.type,
        token_issue_time: timeText(token.createdAt),
        ...(token.expiresAt === null ? {} : { token_ttl: token.creationTtlSeconds }),
      }),
      fields:
        (text === undefined ? '' : `,"client_token":"${client}"`) +
        `,"client_token_accessor":${JSON.stringify(accessor)}`,
    }
    callers.set(token, caller)
    return caller
  }
}

/** Spells the fields of a mount, each with a comma before it. */
function fieldsOfMounts() {
  const mounts = new WeakMap<Mount, string>()
  return (mount: Mount | undefined): string => {
    if (mount === undefined) return ''
    const known = mounts.get(mount)
    if (known !== undefined) return known
    const { path, type, accessor } = mount
    const all = { mount_point: path, mount_type: type, mount_accessor: accessor }
    const fields = `,${JSON.stringify(all).slice(1, -1)}`
    mounts.set(mount, fields)
    return fields
  }
}

/** Spells the fields of an answer, each with a comma before it. */
function fieldsOfAnswers(device: AuditDevice, { kept, keptJson }: Hashes) {
  /** A new token with what is known about it: the token and its accessors are hashed, the rest is no secret. */
  const credentialsOf = (given: Readonly<Record<string, unknown>>): string => {
    const spelled: Record<string, unknown> = { ...given }
    for (const name of ['client_token', 'token'])
      if (typeof given[name] === 'string') spelled[name] = kept(given[name])
    for (const name of ['accessor', 'wrapped_accessor'])
      if (typeof given[name] === 'string') spelled[name] = accessorIn(given[name], device, kept)
    return JSON.stringify(spelled)
  }

  const answerData = (operation: string, data: unknown, plain: readonly string[] | undefined): string => {
    if (data instanceof JsonText)
      return plain?.length ? hashedJson(JSON.parse(data.text), kept, plain) : keptJson(data.text)
    const elides = device.elideListResponses === true && (operation === 'list' || operation === 'scan')
    return hashedJson(elides ? counted(data) : data, kept, plain)
  }

  /** The parts of an envelope that say something; of any other answer the whole of it, as data. */
  return (operation: string, mount: Mount | undefined, given: unknown): string => {
    const plain = mount?.auditNonHmacResponseKeys
    const answer = given instanceof JsonText ? JSON.parse(given.text) : given
    if (!isObject(answer) || 'errors' in answer) return ''
    if (!('request_id' in answer)) return `,"data":${hashedJson(answer, kept, plain)}`
    const { data, auth, wrap_info: wrapped, warnings } = answer
    let fields = isEmpty(data) ? '' : `,"data":${answerData(operation, data, plain)}`
    if (isObject(auth)) fields += `,"auth":${credentialsOf(auth)}`
    if (isObject(wrapped)) fields += `,"wrap_info":${credentialsOf(wrapped)}`
    if (Array.isArray(warnings)) fields += `,"warnings":${JSON.stringify(warnings)}`
    return fields
  }
}

const accessorIn = (accessor: string, { hmacAccessor }: AuditDevice, kept: Hash): string =>
  accessor === '' || hmacAccessor === false ? accessor : kept(accessor)

const resultsOf = ({ allowed, rule }: Decision) =>
  allowed
    ? { allowed, granting_policies: rule?.sources.map(({ policy }) => ({ name: policy, type: 'acl' })) ?? [] }
    : { allowed }

function isEmpty(data: unknown): boolean {
  if (data === undefined || data === null) return true
  if (data instanceof JsonText) return data.text === '{}' || data.text === 'null'
  if (!isObject(data)) return false
  for (const _ in data) return false
  return true
}

/** A list's names as their number. */
const counted = (data: unknown): unknown => {
  if (!isObject(data)) return data
  const count = (value: unknown) => {
    if (Array.isArray(value)) return value.length
    return isObject(value) ? Object.keys(value).length : value
  }
  const elided = ['keys', 'key_info'].filter((name) => name in data)
  return { ...data, ...Object.fromEntries(elided.map((name) => [name, count(data[name])])) }
}
