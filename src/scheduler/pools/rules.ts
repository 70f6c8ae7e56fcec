import type { NodePool, PoolSpec } from './model.ts'

/** The pool that every node belongs to, besides its own pool. */
export const poolOfAll = 'all'

/** The pool of nodes and jobs that name none. */
export const defaultPool = 'default'

/**
 * The built-in pools of every cluster. They cannot be changed or removed.
 */
export const builtInPools: readonly NodePool[] = [
  builtIn(poolOfAll, 'Node pool with all nodes in the cluster.'),
  builtIn(defaultPool, 'Default node pool.'),
]

function builtIn(Name: string, Description: string): NodePool {
  return Object.freeze({
    ...{ Name, Description, Meta: null, SchedulerConfiguration: null },
    ...{ CreateIndex: 1, ModifyIndex: 1 },
  })
}

/** A pool that only has a name: it is created with its first node. */
export const poolNamed = (Name: string): PoolSpec => ({
  Name,
  Description: '',
  Meta: null,
  SchedulerConfiguration: null,
})

/**
 * Whether a pool is one that exists in every cluster.
 *
 * @example
 * ```ts
 * import { isBuiltIn } from 'plinth/scheduler'
 *
 * isBuiltIn('all') // true
 * isBuiltIn('gpu') // false
 * ```
 */
export const isBuiltIn = (name: string): boolean => name === poolOfAll || name === defaultPool

const namePattern = /^[a-zA-Z0-9-_]{1,127}$/
const utf8 = new TextEncoder()

/** The limits of a pool's fields, with their messages. */
const rules: readonly ((pool: PoolSpec) => string | undefined)[] = [
  ({ Name }) =>
    namePattern.test(Name) ? undefined : `invalid name "${Name}", must match regex ${namePattern.source}`,
  // Bytes, not characters: the limit protects storage.
  ({ Description }) =>
    utf8.encode(Description).length < 256
      ? undefined
      : 'description longer than 256: it must be fewer than 256 bytes of UTF-8',
  ({ SchedulerConfiguration }) =>
    SchedulerConfiguration === null || /^(?:|binpack|spread)$/.test(SchedulerConfiguration.SchedulerAlgorithm)
      ? undefined
      : `invalid scheduler algorithm "${SchedulerConfiguration.SchedulerAlgorithm}", must be binpack or spread`,
]

/**
 * All problems of a pool's fields, in the order of the fields.
 *
 * @example
 * ```ts
 * import { poolProblems } from 'plinth/scheduler'
 *
 * const pool = { Name: 'a b', Description: '', Meta: null, SchedulerConfiguration: null }
 * poolProblems(pool) // ['invalid name "a b", must match regex ^[a-zA-Z0-9-_]{1,127}$']
 * ```
 */
export const poolProblems = (pool: PoolSpec): readonly string[] => rules.flatMap((rule) => rule(pool) ?? [])

/**
 * Joins several problems in one text, in the format that clients expect: counted, one per line.
 */
export const listProblems = (problems: readonly string[]): string =>
  `${problems.length} error${problems.length === 1 ? '' : 's'} occurred:\n${problems
    .map((problem) => `\t* ${problem}\n`)
    .join('')}\n`
