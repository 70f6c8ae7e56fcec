import type { AllocationStub, Deployment, Evaluation, Job, JobSummary } from 'plinth/scheduler'
import { useLocation, useRoute } from 'preact-iso/router'
import { call } from '../../data/call.ts'
import { useResource } from '../../data/resource.ts'
import { Action } from '../../ui/action.tsx'
import { Facts } from '../../ui/facts.tsx'
import { JsonButton } from '../../ui/json-button.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Rows } from '../../ui/rows.tsx'
import { Status } from '../../ui/status.tsx'
import { Time } from '../../ui/time.tsx'
import { View } from '../../ui/view.tsx'
import { Allocations } from './allocations.tsx'
import { Deployments } from './deployments.tsx'
import { Evaluations } from './evaluations.tsx'
import { changeLink, jobPath } from './links.ts'
import { readOnce, readScheduler } from './list.ts'
import { PlacementFailureList, type PlacementFailures } from './placement-failures.tsx'
import { SummaryBar } from './summary-bar.tsx'
import { Versions } from './versions.tsx'

/** One job, live: its groups, evaluations, versions and deployments. */
export default function JobView() {
  const { params } = useRoute()
  const { query } = useLocation()
  const id = decodeURIComponent(params['id'] ?? '')
  const namespace = query['namespace'] ?? 'default'
  const { job, summary, evaluations, deployments, allocations } = useJob(id, namespace)
  if (!job.value)
    return (
      <View title={id}>
        {job.problem ? <Problem problem={job.problem} service="scheduler" /> : <p class="muted">Loading …</p>}
      </View>
    )
  const { Name, Type, Priority, Status: status, Version, NodePool, Datacenters, SubmitTime } = job.value
  const failures = latestFailures(evaluations.value ?? [])
  return (
    <View title={Name} actions={<JobActions job={job.value} namespace={namespace} />}>
      {job.problem && <Problem problem={job.problem} service="scheduler" />}
      <Facts
        of={[
          ['Status', <Status key="status" of={status} />],
          ['Type', Type],
          ['Namespace', namespace],
          ['Priority', Priority],
          ['Version', Version],
          ['Node pool', NodePool],
          ['Datacenters', Datacenters.join(', ')],
          ['Submitted', <Time key="time" ms={SubmitTime / 1e6} />],
        ]}
      />
      {failures && (
        <>
          <h2>Placement failures</h2>
          <PlacementFailureList failures={failures} />
        </>
      )}
      <h2>Groups</h2>
      <Groups job={job.value} namespace={namespace} summary={summary.value?.Summary ?? {}} />
      {deployments.value && deployments.value.length > 0 && (
        <>
          <h2>Deployments</h2>
          <Deployments rows={deployments.value} />
        </>
      )}
      <h2>Allocations</h2>
      {allocations.value && <Allocations rows={allocations.value} of="job" />}
      <h2>Evaluations</h2>
      <Evaluations rows={evaluations.value ?? []} />
      <Versions id={id} namespace={namespace} current={Version} />
    </View>
  )
}

/** A job and what belongs to it, live. */
function useJob(id: string, namespace: string) {
  const of = { namespace }
  const inputs = [id, namespace]
  // Browsers open six connections to a server: three wait for changes, and each change makes the others reload.
  const summary = useResource(
    (asked) => readScheduler<JobSummary>(jobPath(id, '/summary'), of, asked),
    inputs,
  ).state.value
  const evaluations = useResource(
    (asked) => readScheduler<readonly Evaluation[]>(jobPath(id, '/evaluations'), of, asked),
    inputs,
  ).state.value
  const deployments = useResource(
    (asked) => readScheduler<readonly Deployment[]>(jobPath(id, '/deployments'), of, asked),
    inputs,
  ).state.value
  const news = Math.max(
    summary.value?.ModifyIndex ?? 0,
    ...[...(evaluations.value ?? []), ...(deployments.value ?? [])].map(({ ModifyIndex }) => ModifyIndex),
  )
  const job = useResource((asked) => readOnce<Job>(jobPath(id), of, asked), [...inputs, news]).state.value
  const allocations = useResource(
    (asked) => readOnce<readonly AllocationStub[]>(jobPath(id, '/allocations'), of, asked),
    [...inputs, news],
  ).state.value
  return { job, summary, evaluations, deployments, allocations }
}

/** The buttons that change, start and stop a job. */
function JobActions({ job, namespace }: { readonly job: Job; readonly namespace: string }) {
  const { ID: id, Name, Stop } = job
  const of = { namespace }
  return (
    <>
      <JsonButton name={Name} value={job} />
      <a class="button quiet" href={changeLink(id, namespace)}>
        Edit
      </a>
      {Stop ? (
        <Action
          done="The job is starting."
          run={() =>
            call('scheduler', jobPath(id), {
              method: 'POST',
              query: of,
              body: { Job: { ...job, Stop: false } },
            })
          }
        >
          Start
        </Action>
      ) : (
        <Action
          kind="danger"
          confirm={{
            title: `Stop ${Name}?`,
            text: 'All its allocations are stopped. The job stays registered: you can start it again.',
            action: 'Stop',
          }}
          done="The job is stopping."
          run={() => call('scheduler', jobPath(id), { method: 'DELETE', query: of })}
        >
          Stop
        </Action>
      )}
    </>
  )
}

/** The task groups of a job, with the buttons that scale them. */
function Groups({
  job,
  namespace,
  summary: groups,
}: {
  readonly job: Job
  readonly namespace: string
  readonly summary: JobSummary['Summary']
}) {
  const scale = (group: string, count: number) =>
    call('scheduler', jobPath(job.ID, '/scale'), {
      method: 'POST',
      query: { namespace },
      body: { Count: count, Target: { Group: group } },
    })
  return (
    <Rows
      label="Groups"
      rows={job.TaskGroups}
      keyOf={(group) => group.Name}
      columns={[
        { title: 'Group', cell: (group) => group.Name },
        { title: 'Allocations', cell: (group) => <SummaryBar groups={[groups[group.Name] ?? {}]} /> },
        { title: 'Count', cell: (group) => group.Count, isNumber: true },
        {
          title: 'Scale',
          cell: ({ Name: group, Count }) => (
            <span class="actions">
              <Action kind="quiet" run={() => scale(group, Math.max(0, Count - 1))}>
                <span aria-hidden="true">−</span>
                <span class="hidden">Remove one from {group}</span>
              </Action>
              <Action kind="quiet" run={() => scale(group, Count + 1)}>
                <span aria-hidden="true">+</span>
                <span class="hidden">Add one to {group}</span>
              </Action>
            </span>
          ),
        },
        {
          title: 'Tasks',
          cell: ({ Tasks }) => Tasks.map(({ Name: task, Driver }) => `${task} (${Driver})`).join(', '),
          isMinor: true,
        },
      ]}
    />
  )
}

/** The failed placements of the newest evaluation with a decision. */
function latestFailures(evaluations: readonly Evaluation[]): PlacementFailures | undefined {
  const newest = [...evaluations]
    .filter(({ Status: status }) => status === 'complete' || status === 'blocked')
    .sort((a, b) => b.ModifyIndex - a.ModifyIndex)[0]
  const failures = (newest?.FailedTGAllocs ?? undefined) as PlacementFailures | undefined
  return failures && Object.keys(failures).length > 0 ? failures : undefined
}
