import { useSignal } from '@preact/signals'
import type { JobStub } from 'plinth/scheduler'
import { useLocation } from 'preact-iso'
import { viewPath } from '../../data/base-path.ts'
import { useResource } from '../../data/resource.ts'
import { FilterBox } from '../../ui/filter-box.tsx'
import { Problem } from '../../ui/problem.tsx'
import { type Column, Rows } from '../../ui/rows.tsx'
import { Status } from '../../ui/status.tsx'
import { Time } from '../../ui/time.tsx'
import { jobLink } from './links.ts'
import { readPages } from './list.ts'
import { SummaryBar } from './summary-bar.tsx'

const columns: readonly Column<JobStub>[] = [
  {
    title: 'Job',
    cell: ({ ID, Namespace, Name }) => (
      <a href={jobLink(ID, Namespace)} data-row-link>
        {Name}
      </a>
    ),
  },
  { title: 'Namespace', cell: ({ Namespace }) => Namespace, isMinor: true },
  { title: 'Status', cell: (job) => <Status of={job.Status} /> },
  {
    title: 'Allocations',
    cell: ({ JobSummary }) => <SummaryBar groups={Object.values(JobSummary?.Summary ?? {})} />,
  },
  { title: 'Type', cell: ({ Type }) => Type, isMinor: true },
  { title: 'Priority', cell: ({ Priority }) => Priority, isNumber: true, isMinor: true },
  { title: 'Submitted', cell: ({ SubmitTime }) => <Time ms={SubmitTime / 1e6} />, isMinor: true },
]

/** The jobs of all namespaces, live. */
export default function Jobs() {
  const { query, route, path } = useLocation()
  const filter = query['filter'] ?? ''
  const pages = useSignal(1)
  const { state } = useResource(
    (asked) => readPages<JobStub>('/v1/jobs', { filter, namespace: '*' }, pages.value, asked),
    [filter, pages.value],
  )
  const { value, problem } = state.value
  const filterProblem = problem?.status === 400 ? problem.message : undefined
  const count = value?.rows.length ?? 0
  return (
    <section class="view">
      <div class="title">
        <h1>Jobs</h1>
        <a class="button" href={viewPath('/scheduler/run')}>
          Run a job
        </a>
      </div>
      <FilterBox
        value={filter}
        problem={filterProblem}
        fields="jobs"
        rows={value?.rows}
        onChange={(text) => route(text === '' ? path : `${path}?filter=${encodeURIComponent(text)}`)}
      />
      {problem && filterProblem === undefined && <Problem problem={problem} service="scheduler" />}
      {value && (
        <p class="muted" role="status">
          {count === 1 ? '1 job' : `${count}${value.isWhole ? '' : ' or more'} jobs`}
        </p>
      )}
      {value && count > 0 && (
        <Rows
          label="Jobs"
          columns={columns}
          rows={value.rows}
          keyOf={(job) => `${job.Namespace}/${job.ID}`}
          onEnd={
            value.isWhole
              ? undefined
              : () => {
                  pages.value = Math.ceil(count / 200) + 1
                }
          }
        />
      )}
      {value && count === 0 && <p class="empty">No jobs{filter === '' ? ' yet' : ' pass this filter'}.</p>}
    </section>
  )
}
