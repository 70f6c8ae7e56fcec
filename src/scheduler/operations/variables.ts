import { casMismatch } from '../../kernel/check-and-set.ts'
import { type Refused, refuse } from '../../kernel/index.ts'
import { argument, aText } from '../../operation/arguments.ts'
import { operation } from '../../operation/operation.ts'
import type { Stored } from '../../store/index.ts'
import { variableRecords } from '../records/collections.ts'
import { indexed, withIndexes } from '../records/tables.ts'
import { permissionDenied } from '../service/authenticate.ts'
import type { ListCall, ReadCall } from '../service/call.ts'
import { type Cluster, indexOf } from '../service/cluster.ts'
import { enter } from '../service/enter.ts'
import { filtersFor } from '../service/read/filter.ts'
import { answerList, beginning, listRefusals } from '../service/read/list.ts'
import { answerRead } from '../service/read/read.ts'
import { stubsOf } from '../service/read/stubs.ts'
import { everyNamespace } from '../service/read/visibility.ts'
import {
  Variable,
  type VariableRecord,
  VariableSpec,
  VariableStub,
  variableStub,
} from '../variables/model.ts'
import { type VariableChanged, writeVariable } from '../variables/write.ts'
import { call } from './arguments.ts'
import type { JobCall } from './calls.ts'
import { writtenArgument } from './written-argument.ts'

const path = argument<string>('path', aText)
const variable = writtenArgument('variable', VariableSpec, Variable)
const filters = filtersFor<VariableStub>(VariableStub, { CreateTime: 'unix-ns', ModifyTime: 'unix-ns' })
const stubs = stubsOf(variableStub)({})

/**
 * A write of a variable.
 */
export interface WriteVariableCall extends JobCall {
  /** The ModifyIndex that the variable must have; 0 = it must not exist. No check by default. */
  readonly cas?: number | undefined
}

/** Why a write is refused by its check-and-set; the detail says what is stored, without its items. */
const conflict = (
  before: Stored<VariableRecord> | undefined,
  name: { readonly Namespace: string; readonly Path: string },
  cas: number | undefined,
): Refused<'cas_mismatch'> | undefined => {
  if (cas === undefined) return undefined
  const none = { ...name, Items: {}, CreateTime: 0, ModifyTime: 0 }
  const stored = withIndexes(before?.value ?? none, before?.created ?? 0, before?.modified ?? 0)
  return casMismatch(stored.ModifyIndex, cas, { ...variableStub(stored) })
}

/** The operations on variables: names and texts for jobs and people, by path. They have no locks. */
export const variableOperations = {
  /**
   * Lists the variables that the caller may list, without their items, in the order of namespace and path.
   *
   * @example await scheduler.listVariables({ prefix: 'app/' })
   */
  listVariables: operation({
    takes: [call],
    refuses: listRefusals,
    run: (cluster: Cluster, call: ListCall = {}) =>
      enter(cluster, call, ({ now, access }) => {
        const { namespace = 'default', prefix = '' } = call
        const filter = filters(call.filter)
        if (!filter.ok) return filter
        const every = namespace === everyNamespace
        return answerList<Variable, VariableStub>(cluster, call, now, {
          question: ['variables', namespace, access.id],
          marks: [every ? variableRecords.markOf() : variableRecords.markOf('namespace', namespace)],
          within: every ? beginning([]) : beginning([namespace], prefix),
          rows: (at, range) => cluster.tables.variables.at(at).chunks(range),
          shape: ['text', 'text'],
          keyOf: ({ Namespace, Path }) => [Namespace, Path],
          visible: ({ Namespace, Path }) =>
            Path.startsWith(prefix) && access.variable(Namespace, Path, 'list'),
          filter: filter.value,
          show: stubs,
        })
      }),
  }),

  /**
   * Reads a variable; requires `read` on its path.
   *
   * @example await scheduler.readVariable('app/db')
   */
  readVariable: operation({
    takes: [path, call],
    refuses: ['permission_denied', 'variable_not_found'],
    run: (cluster: Cluster, path: string, call: ReadCall = {}) =>
      enter(cluster, call, ({ now, access }) => {
        const { namespace = 'default' } = call
        if (!access.variable(namespace, path, 'read')) return permissionDenied()
        const mark = variableRecords.markOf('namespace', namespace)
        return answerRead(cluster, call, now, ['variable', namespace, path], (at) => {
          const value = indexed(variableRecords, at, namespace, path)
          if (value !== undefined)
            return { value, index: value.ModifyIndex, keys: [variableRecords.keyOf(namespace, path)] }
          const index = indexOf(at, [mark])
          return { ...refuse('variable_not_found', 'variable not found', { index }), index, keys: [mark] }
        })
      }),
  }),

  /**
   * Creates a variable, or replaces all of its items; requires `write` on its path. Its items have at most 64 KiB.
   *
   * @example
   * ```ts
   * import { createScheduler } from 'plinth/scheduler'
   *
   * const scheduler = createScheduler()
   * const first = await scheduler.writeVariable({ Path: 'app/db', Items: { user: 'ada' } }, { cas: 0 })
   * first.ok && first.value.Items // { user: 'ada' }
   * const again = await scheduler.writeVariable({ Path: 'app/db', Items: { user: 'eve' } }, { cas: 0 })
   * again.ok // false
   * await scheduler.close()
   * ```
   */
  writeVariable: operation({
    takes: [variable, call],
    refuses: ['permission_denied', 'invalid_variable', 'cas_mismatch'],
    run: (cluster: Cluster, spec: VariableSpec, call: WriteVariableCall = {}) =>
      enter(cluster, call, async ({ access }) => {
        if (!access.variable(spec.Namespace, spec.Path, 'write')) return permissionDenied()
        const { answer, rev } = await cluster.commitAt((tx, env) => {
          const before = tx.get(variableRecords, spec.Namespace, spec.Path)
          const outcome = writeVariable(before?.value, spec, env)
          if (!outcome.ok) return outcome
          const refused = conflict(before, spec, call.cas)
          if (refused !== undefined) return refused
          tx.put(variableRecords, outcome.state)
          return { ...outcome, value: { stored: outcome.value, created: before?.created } }
        })
        if (!answer.ok) return answer
        const { stored, created } = answer.value
        return { ok: true as const, value: withIndexes(stored, created ?? rev, rev), index: rev }
      }),
  }),

  /**
   * Deletes a variable, or does nothing if it does not exist; requires `destroy` on its path.
   *
   * @example await scheduler.deleteVariable('app/db')
   */
  deleteVariable: operation({
    takes: [path, call],
    refuses: ['permission_denied', 'cas_mismatch'],
    run: (cluster: Cluster, path: string, call: WriteVariableCall = {}) =>
      enter(cluster, call, async ({ access }) => {
        const { namespace = 'default' } = call
        if (!access.variable(namespace, path, 'destroy')) return permissionDenied()
        const { answer, rev } = await cluster.commitAt((tx) => {
          const before = tx.get(variableRecords, namespace, path)
          const refused = conflict(before, { Namespace: namespace, Path: path }, call.cas)
          if (refused !== undefined) return refused
          if (before === undefined) return { ok: true as const, value: null, events: [] }
          tx.delete(variableRecords, namespace, path)
          const event: VariableChanged = { type: 'variable.deleted', namespace, path }
          return { ok: true as const, value: null, events: [event] }
        })
        return answer.ok ? { ok: true as const, value: null, index: rev } : answer
      }),
  }),
}
