import { allocationLifecycle } from '../../src/scheduler/allocations/lifecycle.ts'
import { deploymentLifecycle } from '../../src/scheduler/deployments/lifecycle.ts'
import { evaluationLifecycle } from '../../src/scheduler/evaluations/lifecycle.ts'
import { nodeLifecycle } from '../../src/scheduler/nodes/lifecycle.ts'

type Table = Readonly<Record<string, Readonly<Record<string, string>>>>

const lifecycles: readonly { readonly title: string; readonly about: string; readonly table: Table }[] = [
  {
    title: 'Deployment',
    about:
      'Begins as `running`. A job that is stopped or has a newer version cancels it; unhealthy allocations, a missed progress deadline and people fail it.',
    table: deploymentLifecycle,
  },
  {
    title: 'Allocation, as its node reports it',
    about: 'Begins as `pending`. What it is told to be (`run`, `stop`, `evict`) is another field.',
    table: allocationLifecycle,
  },
  {
    title: 'Evaluation',
    about: 'Begins as `pending`; `blocked` ones wait for room.',
    table: evaluationLifecycle,
  },
  {
    title: 'Node',
    about: 'Begins as it registers. Draining and eligibility are fields beside its status.',
    table: nodeLifecycle,
  },
]

/** The page of diagrams, made from the very tables that the engine moves by. */
export const lifecyclePage = (): string =>
  [
    '# Lifecycles of the scheduler',
    '',
    'Made from the tables in the source by `scripts/lifecycles.mjs`. An arrow is a move; what has none is refused.',
    '',
    'The status of a job is in no table: it is derived from its deployments, allocations and evaluations with every write.',
    '',
    ...lifecycles.flatMap(({ title, about, table }) => [`## ${title}`, '', about, '', ...diagram(table), '']),
  ].join('\n')

function diagram(table: Table): readonly string[] {
  const arrows = Object.entries(table).flatMap(([from, moves]) => {
    const byTarget = new Map<string, string[]>()
    for (const [verb, to] of Object.entries(moves)) byTarget.set(to, [...(byTarget.get(to) ?? []), verb])
    return [...byTarget].map(([to, verbs]) => `  ${from} --> ${to}: ${verbs.join(', ')}`)
  })
  const ends = Object.entries(table).flatMap(([from, moves]) =>
    Object.keys(moves).length === 0 ? [`  ${from} --> [*]`] : [],
  )
  return ['```mermaid', 'stateDiagram-v2', ...arrows, ...ends, '```']
}
