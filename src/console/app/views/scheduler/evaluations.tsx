import type { Evaluation } from 'plinth/scheduler'
import type { Column } from '../../ui/column.ts'
import { Rows } from '../../ui/rows.tsx'
import { Status } from '../../ui/status.tsx'
import { Time } from '../../ui/time.tsx'
import { View } from '../../ui/view.tsx'
import { FilteredList } from './filtered-list.tsx'
import { evaluationLink, jobLink } from './links.ts'

const evaluation: Column<Evaluation> = {
  title: 'Evaluation',
  cell: ({ ID }) => (
    <a href={evaluationLink(ID)} data-row-link>
      <code>{ID.slice(0, 8)}</code>
    </a>
  ),
}
const job: Column<Evaluation> = {
  title: 'Job',
  cell: ({ JobID, Namespace }) => JobID && <a href={jobLink(JobID, Namespace)}>{JobID}</a>,
  by: ({ JobID }) => JobID,
}
const status: Column<Evaluation> = {
  title: 'Status',
  cell: ({ Status: of }) => <Status of={of} />,
  by: ({ Status: of }) => of,
}
const cause: Column<Evaluation> = { title: 'Cause', cell: ({ TriggeredBy }) => TriggeredBy }
const more: readonly Column<Evaluation>[] = [
  { title: 'Description', cell: ({ StatusDescription }) => StatusDescription, isMinor: true },
  {
    title: 'Created',
    cell: ({ CreateTime }) => <Time ms={CreateTime / 1e6} />,
    by: ({ CreateTime }) => CreateTime,
    isMinor: true,
  },
]

/** The evaluations of a job. */
export const Evaluations = ({ rows }: { readonly rows: readonly Evaluation[] }) => (
  <Rows
    label="Evaluations"
    rows={rows}
    keyOf={({ ID }) => ID}
    columns={[evaluation, status, cause, ...more]}
  />
)

/** The evaluations of all jobs, live. */
export default function AllEvaluations() {
  return (
    <View title="Evaluations">
      <FilteredList
        title="Evaluations"
        noun={['evaluation', 'evaluations']}
        path="/v1/evaluations"
        names={['JobID', 'ID']}
        facets={{ Status: 'Status', TriggeredBy: 'Cause', Namespace: 'Namespace' }}
        hint="The scheduler creates one each time it has to place or stop something."
        query={{ namespace: '*', reverse: 'true' }}
        columns={[evaluation, job, status, { ...cause, isMinor: true }, ...more]}
        keyOf={({ ID }) => ID}
      />
    </View>
  )
}
