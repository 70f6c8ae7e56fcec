import { type Refused, refuse } from '../../../kernel/index.ts'
import { transact } from '../../../store/index.ts'
import { bootstrapAcl } from '../../acl/bootstrap.ts'
import { deleteToken } from '../../acl/delete-token.ts'
import { type AclToken, type AclTokenInput, AclTokenStub } from '../../acl/model.ts'
import { policyName } from '../../acl/policy.ts'
import { createToken, updateToken } from '../../acl/write-token.ts'
import { bootstrapRecords, policyRecords, tokenRecords } from '../../records/collections.ts'
import { indexed, withIndexes } from '../../records/tables.ts'
import type { Found, ListCall, ReadCall, WriteCall, Written } from '../call.ts'
import { type Cluster, indexOf } from '../cluster.ts'
import { enter } from '../enter.ts'
import { writtenToken } from '../parsed-arguments.ts'
import { filtersFor } from '../read/filter.ts'
import { answerList, beginning, type ListRefusal } from '../read/list.ts'
import { answerRead } from '../read/read.ts'
import { asTheyAre } from '../read/stubs.ts'
import { permissionDenied } from './authenticate.ts'
import { aclDisabled, removeAcl } from './remove.ts'

const filters = filtersFor(AclTokenStub)

export function tokenMethods(cluster: Cluster) {
  const { acl } = cluster
  const newToken = () => {
    const env = cluster.env()
    return { env, accessor: env.newId('accessor'), secret: env.newId('secret') }
  }
  return {
    /**
     * Makes the first management token of the cluster; asks for nothing, and works once.
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
    bootstrapAcl: async (): Promise<Written<AclToken> | Refused<'acl_disabled' | 'bootstrap_done'>> => {
      if (!acl.enabled) return aclDisabled()
      const { env, accessor, secret } = newToken()
      await cluster.born()
      const { result, rev } = await transact(
        cluster.view,
        () => env.newId('commit'),
        (tx) => {
          const done = acl.given || tx.get(bootstrapRecords, 'first') !== undefined
          const outcome = bootstrapAcl(done, { accessor, secret }, env)
          if (outcome.ok) {
            tx.put(bootstrapRecords, { accessor })
            tx.put(tokenRecords, outcome.value)
          }
          return outcome
        },
      )
      if (!result.ok) return result
      cluster.emit(result.events)
      return { ok: true, value: { ...result.value, CreateIndex: rev, ModifyIndex: rev }, index: rev }
    },

    /** Lists tokens by accessor, without their secrets; asks for management. */
    listTokens: (
      call: ListCall = {},
    ): Promise<Found<readonly AclTokenStub[]> | Refused<ListRefusal | 'acl_disabled'>> =>
      enter(cluster, call, ({ now, access }) => {
        if (!acl.enabled) return aclDisabled()
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

    /**
     * Reads a token with its secret; asks for management, or for the token itself. `self` is the caller's own, the
     * management token that the server was given included, which is kept nowhere.
     */
    readToken: (
      accessor: string,
      call: ReadCall = {},
    ): Promise<Found<AclToken> | Refused<'permission_denied' | 'acl_disabled' | 'token_not_found'>> =>
      enter(cluster, call, ({ now, access, accessor: own }) => {
        if (!acl.enabled) return aclDisabled()
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

    /**
     * Creates a token, or changes the one whose accessor is given; asks for management.
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
    writeToken: (
      accessor: string | undefined,
      given: AclTokenInput,
      call: WriteCall = {},
    ): Promise<
      | Written<AclToken>
      | Refused<'permission_denied' | 'acl_disabled' | 'token_not_found' | 'invalid_acl_token'>
    > =>
      enter(cluster, call, async ({ access }) => {
        if (!acl.enabled) return aclDisabled()
        if (!access.management) return permissionDenied()
        const write = writtenToken.take(given)
        const { env, ...drawn } = newToken()
        await cluster.born()
        const { result, rev } = await transact(
          cluster.view,
          () => env.newId('commit'),
          (tx) => {
            // What is no name could not even be looked up.
            const known = new Set(
              write.Policies.filter((name) => policyName.test(name) && tx.get(policyRecords, name)),
            )
            const before = accessor === undefined ? undefined : tx.get(tokenRecords, accessor)
            const outcome =
              accessor === undefined
                ? createToken(undefined, { write, known, ...drawn }, env)
                : updateToken(before?.value, { write, known }, env)
            if (outcome.ok) tx.put(tokenRecords, outcome.value)
            return outcome.ok ? { ...outcome, created: before?.created } : outcome
          },
        )
        if (!result.ok) return result
        cluster.emit(result.events)
        const indexes = { CreateIndex: result.created ?? rev, ModifyIndex: rev }
        return { ok: true, value: { ...result.value, ...indexes }, index: rev }
      }),

    /**
     * Revokes a token; asks for management.
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
    deleteToken: (
      accessor: string,
      call: WriteCall = {},
    ): Promise<Written<string> | Refused<'permission_denied' | 'acl_disabled' | 'token_not_found'>> =>
      removeAcl(cluster, call, tokenRecords, accessor, deleteToken),
  }
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
