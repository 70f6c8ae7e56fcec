import type { Answered, Exchange, ReceivedCall } from '../../../http/index.ts'
import { parsedJson } from '../../../kernel/decoded.ts'
import type { Refused } from '../../../kernel/index.ts'
import { isObject } from '../../../kernel/objects.ts'
import type { AuditedRequest } from '../audit/entry.ts'
import { type AuditTurn, auditOf } from '../audit/trail.ts'
import type { SecretsContext } from '../core/context.ts'
import { type Core, rootNamespace } from '../core/core.ts'
import { tokenOf } from '../tokens/token-strings.ts'
import { auditedPath } from './audit.ts'
import { secretsDialect } from './dialect.ts'
import { statusOf } from './refused.ts'
import type { RequestState } from './state.ts'

/** Reports HTTP requests to the audit devices. */
export function requestAudit(core: Core) {
  const audit = auditOf(core)
  return {
    /** Writes the line of a request before it is served. */
    request: (
      turn: AuditTurn,
      { context, json, query }: ReceivedCall<SecretsContext>,
    ): Promise<Refused<'audit_failed'> | undefined> | undefined => {
      const { caller, operation, wrapTtlSeconds } = context
      const changes = !['read', 'list', 'scan'].includes(operation) || wrapTtlSeconds > 0
      return audit.request(
        turn,
        {
          id: context.requestId,
          operation,
          namespace: context.namespace,
          mount: context.mount,
          path: auditedPath(context.path),
          text: caller?.text,
          token: caller?.token,
          decision: context.decision,
          data: json ?? query,
          address: context.address,
          wrapTtlSeconds,
        },
        changes,
      )
    },
    /** Writes the line of an answer before it is sent, and replaces the answer if that fails. */
    response: async (
      turn: AuditTurn,
      answered: Answered,
      exchange: Exchange<RequestState>,
    ): Promise<void> => {
      const { sent } = exchange.state
      // A refusal may have replaced what was encoded.
      const answer = sent?.content === answered.body ? sent?.body : jsonIn(answered.body)
      const errors = isObject(answer) && Array.isArray(answer['errors']) ? answer['errors'] : []
      const said = errors.map(String).join('; ') || `status ${answered.status}`
      const failed = await audit.response(
        turn,
        () => asArrived(core, exchange),
        answer,
        answered.status < 400 ? '' : said,
      )
      if (failed === undefined) return
      const spelled = secretsDialect(failed.refusal, statusOf.audit_failed)
      answered.status = statusOf.audit_failed
      answered.body = spelled.content
      answered.headers['content-type'] = spelled.type ?? 'application/json'
    },
  }
}

/** The data of a request that was refused before its body was read. */
function asArrived(core: Core, exchange: Exchange<RequestState>): AuditedRequest {
  const { arrival, notes } = exchange.state
  return {
    id: core.env().newId('request'),
    operation: arrival?.helping ? 'help' : (arrival?.operation ?? 'read'),
    namespace: arrival?.namespace ?? rootNamespace,
    mount: arrival?.place?.mount,
    path: auditedPath(arrival?.path ?? ''),
    text: tokenOf(exchange, core.words),
    token: notes.token,
    decision: notes.decision,
    data: undefined,
    address: exchange.peer?.address,
    wrapTtlSeconds: 0,
  }
}

const jsonIn = (text: Answered['body']): unknown => (typeof text === 'string' ? parsedJson(text) : undefined)
