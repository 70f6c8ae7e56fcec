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
    about:
      'Begins as `pending`, and waits where it says until when (`WaitUntil`); `blocked` ones wait for room.',
    table: evaluationLifecycle,
  },
  {
    title: 'Node',
    about: [
      'Begins as it registers. What runs on a node that is down is lost. On one that is disconnected it is `unknown`, and keeps its place, for as long as its group says (`disconnect { lost_after }`); where the group says when agents stop what is out of touch (`stop_on_client_after`), what is lost is replaced no sooner.',
      'Draining and eligibility are fields beside its status. Services leave a draining node as many at a time as their groups say (`migrate { max_parallel }`, one where they say nothing), and go on leaving as the others are healthy: so many always stay that only that many are on the move. An allocation without a health report is waited for until its `healthy_deadline`, or has to run for `min_healthy_time` where `health_check` is `task_states`. Batches may end where they are, system jobs leave last, and what is left when the deadline of the drain is over is told to stop at once.',
    ].join('\n\n'),
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
