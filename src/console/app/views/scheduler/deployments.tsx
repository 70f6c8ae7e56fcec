import type { Deployment } from 'plinth/scheduler'
import { call } from '../../data/call.ts'
import { Action } from '../../ui/action.tsx'
import { Status } from '../../ui/status.tsx'

const act = (what: string, id: string, more: Readonly<Record<string, unknown>>) =>
  call('scheduler', `/v1/deployment/${what}/${id}`, { method: 'POST', body: { DeploymentID: id, ...more } })

/** Deployments with their progress, and what can be done to those under way. */
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
  const waitsForPromotion = groups.some(([, group]) => group.DesiredCanaries > 0 && !group.Promoted)
  return (
    <li class="item">
      <div class="title">
        <span>
          <Status of={status} /> version {JobVersion} <span class="muted">{StatusDescription}</span>
        </span>
        {isActive && (
          <span class="actions">
            {waitsForPromotion && (
              <Action done="Promoted." run={() => act('promote', ID, { All: true })}>
                Promote
              </Action>
            )}
            <Action kind="quiet" run={() => act('pause', ID, { Pause: status !== 'paused' })}>
              {status === 'paused' ? 'Resume' : 'Pause'}
            </Action>
            <Action kind="danger" confirm="Fail this deployment?" run={() => act('fail', ID, {})}>
              Fail
            </Action>
          </span>
        )}
      </div>
      {groups.map(([name, group]) => (
        <label key={name} class="progress">
          <span>
            {name}: {group.HealthyAllocs} of {group.DesiredTotal} healthy
            {group.DesiredCanaries > 0 &&
              `, ${group.PlacedCanaries?.length ?? 0} of ${group.DesiredCanaries} canaries placed`}
            {group.UnhealthyAllocs > 0 && `, ${group.UnhealthyAllocs} unhealthy`}
          </span>
          <progress max={Math.max(1, group.DesiredTotal)} value={group.HealthyAllocs} />
        </label>
      ))}
    </li>
  )
}
