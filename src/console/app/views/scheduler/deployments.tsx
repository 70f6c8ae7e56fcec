import type { Deployment } from 'plinth/scheduler'
import { call } from '../../data/call.ts'
import { Action } from '../../ui/action.tsx'
import type { Column } from '../../ui/column.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { JsonButton } from '../../ui/json-button.tsx'
import { Status } from '../../ui/status.tsx'
import { View } from '../../ui/view.tsx'
import { FilteredList } from './filtered-list.tsx'
import { jobLink } from './links.ts'

const act = (what: string, id: string, more: Readonly<Record<string, unknown>>) =>
  call('scheduler', `/v1/deployment/${what}/${id}`, { method: 'POST', body: { DeploymentID: id, ...more } })

/** The deployments of a job with their progress, and the actions on running ones. */
export function Deployments({ rows }: { readonly rows: readonly Deployment[] }) {
  return (
    <ul class="plain">
      {rows.map((deployment) => (
        <DeploymentItem key={deployment.ID} deployment={deployment} />
      ))}
    </ul>
  )
}

function DeploymentItem({ deployment }: { readonly deployment: Deployment }) {
  const { ID, Status: status, StatusDescription, JobVersion, TaskGroups } = deployment
  const isActive = ['running', 'paused', 'pending', 'blocked'].includes(status)
  const groups = Object.entries(TaskGroups)
  const waiting = groups.filter(([, group]) => group.DesiredCanaries > 0 && !group.Promoted)
  return (
    <li class="item">
      <div class="title">
        <span>
          <code title={ID}>{ID.slice(0, 8)}</code> <Status of={status} /> version {JobVersion}{' '}
          <span class="muted">{StatusDescription}</span>
        </span>
        <span class="actions">
          <CopyButton text={ID} what={`ID ${ID.slice(0, 8)}`} />
          <JsonButton name={`deployment ${ID.slice(0, 8)}`} value={deployment} />
          {isActive && <DeploymentActions id={ID} status={status} waiting={waiting.map(([name]) => name)} />}
        </span>
      </div>
      {groups.map(([name, group]) => (
        <label key={name} class="progress">
          <span>
            {name}: {group.HealthyAllocs} of {group.DesiredTotal} healthy
            {group.DesiredCanaries > 0 &&
              `, ${group.PlacedCanaries?.length ?? 0} of ${group.DesiredCanaries} canaries placed`}
            {group.DesiredCanaries > 0 && group.Promoted && ', promoted'}
            {group.UnhealthyAllocs > 0 && `, ${group.UnhealthyAllocs} unhealthy`}
          </span>
          <progress max={Math.max(1, group.DesiredTotal)} value={group.HealthyAllocs} />
        </label>
      ))}
    </li>
  )
}

/** The buttons that promote, pause and end a deployment. */
function DeploymentActions({
  id,
  status,
  waiting,
}: {
  readonly id: string
  readonly status: string
  /** The groups whose canaries are to be promoted. */
  readonly waiting: readonly string[]
}) {
  return (
    <>
      {waiting.length > 0 && (
        <Action done="Promoted." run={() => act('promote', id, { All: true })}>
          Promote
        </Action>
      )}
      {waiting.length > 1 &&
        waiting.map((name) => (
          <Action key={name} kind="quiet" done="Promoted." run={() => act('promote', id, { Groups: [name] })}>
            Promote {name}
          </Action>
        ))}
      <Action kind="quiet" run={() => act('pause', id, { Pause: status !== 'paused' })}>
        {status === 'paused' ? 'Resume' : 'Pause'}
      </Action>
      <Action
        kind="danger"
        confirm={{
          title: `Fail deployment ${id.slice(0, 8)}?`,
          text: 'The roll-out ends. A job with auto_revert goes back to its last stable version.',
          action: 'Fail',
        }}
        run={() => act('fail', id, {})}
      >
        Fail
      </Action>
    </>
  )
}

const columns: readonly Column<Deployment>[] = [
  { title: 'Deployment', cell: ({ ID }) => <code title={ID}>{ID.slice(0, 8)}</code> },
  {
    title: 'Job',
    cell: ({ JobID, Namespace }) => (
      <a href={jobLink(JobID, Namespace)} data-row-link>
        {JobID}
      </a>
    ),
    by: ({ JobID }) => JobID,
  },
  { title: 'Version', cell: ({ JobVersion }) => JobVersion, isNumber: true, isMinor: true },
  {
    title: 'Status',
    cell: (deployment) => <Status of={deployment.Status} />,
    by: (deployment) => deployment.Status,
  },
  {
    title: 'Healthy',
    cell: ({ TaskGroups }) =>
      Object.entries(TaskGroups)
        .map(([name, { HealthyAllocs, DesiredTotal }]) => `${name} ${HealthyAllocs}/${DesiredTotal}`)
        .join(', '),
  },
  { title: 'Description', cell: ({ StatusDescription }) => StatusDescription, isMinor: true },
]

/** The deployments of all jobs, live. */
export default function AllDeployments() {
  return (
    <View title="Deployments">
      <FilteredList
        title="Deployments"
        noun={['deployment', 'deployments']}
        path="/v1/deployments"
        names={['JobID', 'ID']}
        facets={{ Status: 'Status', Namespace: 'Namespace' }}
        hint="The scheduler creates one for each new version of a service job."
        query={{ namespace: '*', reverse: 'true' }}
        columns={columns}
        keyOf={({ ID }) => ID}
      />
    </View>
  )
}
