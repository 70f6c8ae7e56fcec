import * as z from 'zod'
import { type Env, refuse } from '../../../kernel/index.ts'
import { argument, aText, optionalArgument } from '../../../operation/arguments.ts'
import { fields } from '../../../operation/known-fields.ts'
import { operation } from '../../../operation/operation.ts'
import { bootstrapAcl } from '../../acl/bootstrap.ts'
import { deleteToken } from '../../acl/delete-token.ts'
import { type AclToken, AclTokenStub, type AclTokenWrite } from '../../acl/model.ts'
import { createToken, updateToken } from '../../acl/write-token.ts'
import { bootstrapRecords, tokenRecords } from '../../records/collections.ts'
import { indexed, withIndexes } from '../../records/tables.ts'
import { permissionDenied } from '../../service/authenticate.ts'
import type { ListCall, ReadCall, WriteCall } from '../../service/call.ts'
import { type Cluster, indexOf } from '../../service/cluster.ts'
import { enter } from '../../service/enter.ts'
import { filtersFor } from '../../service/read/filter.ts'
import { answerList, beginning } from '../../service/read/list.ts'
import { answerRead } from '../../service/read/read.ts'
import { asTheyAre } from '../../service/read/stubs.ts'
import { call, id, tokenWrite } from '../arguments.ts'
import { aclDisabled, removeAcl } from './remove.ts'

const filters = filtersFor(AclTokenStub)
const accessor = argument<string>('accessor', aText)

/**
 * The input of the first token.
 *
 * @public
 */
export interface BootstrapInput {
  /** Its secret, a UUID; drawn when left out. */
  readonly secret?: string | undefined
}

const bootstrap = argument<BootstrapInput>(
  'input',
  fields({ secret: z.string().optional() } satisfies Record<keyof BootstrapInput, z.ZodType>),
)
const uuid = /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/i

/** The accessor and secret of a new token. */
const newToken = (env: Env) => ({ accessor: env.newId('accessor'), secret: env.newId('secret') })

/** The operations on tokens. */
export const tokenOperations = {
  /**
   * Creates the first management token of the cluster, with the caller's secret or a generated one; requires no rights,
   * and works once.
   *
   * @example
   * ```ts
   * import { createScheduler } from 'plinth/scheduler'
   * import { memoryStore } from 'plinth/store'
   *
   * const scheduler = createScheduler({ store: memoryStore(), acl: true })
   * const first = await scheduler.bootstrapAcl()
   * first.ok && first.value.Type // 'management'
   * const again = await scheduler.bootstrapAcl()
   * again.ok // false
   * ```
   */
  bootstrapAcl: operation({
    takes: [optionalArgument(bootstrap)],
    refuses: ['acl_disabled', 'bootstrap_done', 'invalid_acl_token'],
    run: async (cluster: Cluster, { secret }: BootstrapInput = {}) => {
      const { acl } = cluster
      if (!acl.enabled) return aclDisabled()
      if (secret !== undefined && !uuid.test(secret))
        return refuse('invalid_acl_token', 'invalid acl token: BootstrapSecret must be a UUID')
      const { answer, rev } = await cluster.commitAt((tx, env) => {
        const done = acl.given || tx.get(bootstrapRecords, 'first') !== undefined
        const token = newToken(env)
        const outcome = bootstrapAcl(done, { ...token, secret: secret ?? token.secret }, env)
        if (!outcome.ok) return outcome
        if (tx.find(tokenRecords, 'secret', outcome.value.SecretID) !== undefined)
          return refuse('invalid_acl_token', 'invalid acl token: another token has this secret')
        tx.put(bootstrapRecords, { accessor: outcome.value.AccessorID })
        tx.put(tokenRecords, outcome.value)
        return outcome
      })
      if (!answer.ok) return answer
      const value: AclToken = { ...answer.value, CreateIndex: rev, ModifyIndex: rev }
      return { ok: true as const, value, index: rev }
    },
  }),

  /** Lists tokens by accessor, without their secrets; requires management. */
  listTokens: operation({
    takes: [call],
    refuses: ['permission_denied', 'invalid_filter', 'filter_failed', 'acl_disabled'],
    run: (cluster: Cluster, call: ListCall = {}) =>
      enter(cluster, call, ({ now, access }) => {
        if (!cluster.acl.enabled) return aclDisabled()
        if (!access.management) return permissionDenied()
        const filter = filters(call.filter)
        if (!filter.ok) return filter
        const { prefix = '' } = call
        return answerList<AclTokenStub, AclTokenStub>(cluster, call, now, {
          question: ['acl-tokens'],
          marks: [tokenRecords.markOf()],
          within: beginning([], prefix),
          rows: (at, { reverse }) => {
            const rows = tokenRecords
              .list(at)
              .filter(({ value }) => value.AccessorID.startsWith(prefix))
              .map(({ value: { SecretID: _, ...shown }, created, modified }) =>
                withIndexes(shown, created, modified),
              )
            return [reverse ? rows.reverse() : rows]
          },
          shape: ['text'],
          keyOf: ({ AccessorID }) => [AccessorID],
          filter: filter.value,
          show: asTheyAre,
        })
      }),
  }),

  /**
   * Reads a token with its secret; requires management, or for the token itself. `self` is the caller's own, the
   * management token that the server was given included, which is kept nowhere.
   */
  readToken: operation({
    takes: [id, call],
    refuses: ['permission_denied', 'acl_disabled', 'token_not_found'],
    run: (cluster: Cluster, accessor: string, call: ReadCall = {}) =>
      enter(cluster, call, ({ now, access, accessor: own }) => {
        if (!cluster.acl.enabled) return aclDisabled()
        if (accessor === 'self' && own === undefined && access.management)
          return answerRead(cluster, call, now, ['given-token'], () => ({
            value: givenToken(call.token),
            index: 1,
            keys: [],
          }))
        const id = accessor === 'self' ? own : accessor
        if (id === undefined || (!access.management && id !== own)) return permissionDenied()
        const key = tokenRecords.keyOf(id)
        const mark = tokenRecords.markOf()
        return answerRead(cluster, call, now, ['acl-token', id], (at) => {
          const value = indexed(tokenRecords, at, id)
          if (value !== undefined) return { value, index: value.ModifyIndex, keys: [key] }
          const index = indexOf(at, [mark])
          return { ...refuse('token_not_found', 'ACL token not found', { index }), index, keys: [mark] }
        })
      }),
  }),

  /**
   * Creates a token, or changes the one with the given accessor; requires management.
   *
   * @example
   * ```ts
   * import { createScheduler } from 'plinth/scheduler'
   * import { memoryStore } from 'plinth/store'
   *
   * const scheduler = createScheduler({ store: memoryStore(), managementToken: 'keep-me' })
   * const call = { token: 'keep-me' }
   * const made = await scheduler.writeToken(undefined, { Type: 'management', Name: 'ops' }, call)
   * made.ok && made.value.Name // 'ops'
   * ```
   */
  writeToken: operation({
    takes: [optionalArgument(accessor), tokenWrite, call],
    refuses: ['permission_denied', 'acl_disabled', 'token_not_found', 'invalid_acl_token'],
    run: (cluster: Cluster, accessor: string | undefined, write: AclTokenWrite, call: WriteCall = {}) =>
      enter(cluster, call, async ({ access }) => {
        if (!cluster.acl.enabled) return aclDisabled()
        if (!access.management) return permissionDenied()
        const { answer, rev } = await cluster.commitAt((tx, env) => {
          const before = accessor === undefined ? undefined : tx.get(tokenRecords, accessor)
          const outcome =
            accessor === undefined
              ? createToken(undefined, { write, ...newToken(env) }, env)
              : updateToken(before?.value, { write }, env)
          if (!outcome.ok) return outcome
          tx.put(tokenRecords, outcome.value)
          return { ...outcome, value: { token: outcome.value, created: before?.created } }
        })
        if (!answer.ok) return answer
        const { token, created = rev } = answer.value
        const value: AclToken = { ...token, CreateIndex: created, ModifyIndex: rev }
        return { ok: true as const, value, index: rev }
      }),
  }),

  /**
   * Revokes a token; requires management.
   *
   * @example
   * ```ts
   * import { createScheduler } from 'plinth/scheduler'
   * import { memoryStore } from 'plinth/store'
   *
   * const scheduler = createScheduler({ store: memoryStore(), managementToken: 'keep-me' })
   * const call = { token: 'keep-me' }
   * const made = await scheduler.writeToken(undefined, { Type: 'management' }, call)
   * made.ok && (await scheduler.deleteToken(made.value.AccessorID, call)).ok // true
   * ```
   */
  deleteToken: operation({
    takes: [id, call],
    refuses: ['permission_denied', 'acl_disabled', 'token_not_found'],
    run: (cluster: Cluster, accessor: string, call: WriteCall = {}) =>
      removeAcl(cluster, call, tokenRecords, accessor, deleteToken),
  }),
}

/** How the management token that the server was given looks to its bearer. */
const givenToken = (secret = ''): AclToken => ({
  AccessorID: 'given',
  SecretID: secret,
  Name: 'Management token given to the server',
  Type: 'management',
  Policies: [],
  Global: true,
  CreateTime: '1970-01-01T00:00:00Z',
  ExpirationTime: null,
  CreateIndex: 1,
  ModifyIndex: 1,
})
