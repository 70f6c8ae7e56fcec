import type { JobStub } from 'plinth/scheduler'
import { viewPath } from '../../data/base-path.ts'
import type { Column } from '../../ui/column.ts'
import { Status } from '../../ui/status.tsx'
import { Time } from '../../ui/time.tsx'
import { View } from '../../ui/view.tsx'
import { FilteredList } from './filtered-list.tsx'
import { jobLink } from './links.ts'
import { allocationsIn, SummaryBar } from './summary-bar.tsx'

const columns: readonly Column<JobStub>[] = [
  {
    title: 'Job',
    cell: ({ ID, Namespace, Name }) => (
      <a href={jobLink(ID, Namespace)} data-row-link>
        {Name}
      </a>
    ),
    by: ({ Name }) => Name,
  },
  { title: 'Namespace', cell: ({ Namespace }) => Namespace, isMinor: true },
  { title: 'Status', cell: (job) => <Status of={job.Status} />, by: (job) => job.Status },
  {
    title: 'Allocations',
    cell: ({ JobSummary }) => <SummaryBar groups={Object.values(JobSummary?.Summary ?? {})} />,
    by: ({ JobSummary }) => allocationsIn(Object.values(JobSummary?.Summary ?? {})),
  },
  { title: 'Type', cell: ({ Type }) => Type, isMinor: true },
  { title: 'Priority', cell: ({ Priority }) => Priority, isNumber: true, isMinor: true },
  {
    title: 'Submitted',
    cell: ({ SubmitTime }) => <Time ms={SubmitTime / 1e6} />,
    by: ({ SubmitTime }) => SubmitTime,
    isMinor: true,
  },
]

/** The jobs of all namespaces, live. */
export default function Jobs() {
  return (
    <View
      title="Jobs"
      actions={
        <a class="button" href={viewPath('/scheduler/run')}>
          Run a job
        </a>
      }
    >
      <FilteredList
        title="Jobs"
        noun={['job', 'jobs']}
        path="/v1/jobs"
        names={['ID', 'Name']}
        facets={{ Status: 'Status', Type: 'Type', Namespace: 'Namespace' }}
        hint="Run a job to see it here."
        query={{ namespace: '*' }}
        columns={columns}
        keyOf={(job) => (job.Namespace === 'default' ? job.ID : `${job.Namespace}/${job.ID}`)}
      />
    </View>
  )
}
