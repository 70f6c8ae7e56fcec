import { useSignal } from '@preact/signals'
import type { Job, JobDiff } from 'plinth/scheduler'
import { diffVersions } from '../../../../scheduler/jobs/diff-versions.ts'
import { call } from '../../data/call.ts'
import { useResource } from '../../data/resource.ts'
import { Action } from '../../ui/action.tsx'
import { Choice } from '../../ui/choice.tsx'
import { Time } from '../../ui/time.tsx'
import { Diff } from './diff.tsx'
import { jobPath } from './links.ts'
import { readOnce } from './list.ts'

interface JobVersionList {
  readonly Versions: readonly Job[]
  readonly Diffs: readonly JobDiff[] | null
}

/** The versions of a job, each with its changes. */
export function Versions({
  id,
  namespace,
  current,
}: {
  readonly id: string
  readonly namespace: string
  readonly current: number
}) {
  const { value } = useResource(
    (asked) => readOnce<JobVersionList>(jobPath(id, '/versions'), { namespace, diffs: 'true' }, asked),
    [id, namespace, current],
  ).state.value
  if (!value) return null
  return (
    <>
      <h2>Versions</h2>
      {value.Versions.length > 1 && <Comparison versions={value.Versions} />}
      <ol class="plain">
        {value.Versions.map(({ Version, SubmitTime }, at) => (
          <li key={Version} class="item">
            <div class="title">
              <span>
                Version {Version}{' '}
                <span class="muted">
                  <Time ms={SubmitTime / 1e6} />
                </span>
              </span>
              {Version !== current && (
                <Action
                  kind="quiet"
                  confirm={{
                    title: `Revert ${id} to version ${Version}?`,
                    text: `A new version with the specification of version ${Version} is deployed.`,
                    action: 'Revert',
                  }}
                  done={`The job is reverting to version ${Version}.`}
                  run={() =>
                    call('scheduler', jobPath(id, '/revert'), {
                      method: 'POST',
                      query: { namespace },
                      body: { JobID: id, JobVersion: Version },
                    })
                  }
                >
                  Revert<span class="hidden"> to version {Version}</span>
                </Action>
              )}
            </div>
            {value.Diffs?.[at] && <Diff diff={value.Diffs[at]} />}
          </li>
        ))}
      </ol>
    </>
  )
}

/** The differences between any two versions. */
function Comparison({ versions }: { readonly versions: readonly Job[] }) {
  const newest = versions[0]?.Version ?? 0
  const before = useSignal(Math.max(0, newest - 1))
  const after = useSignal(newest)
  const numbers = versions.map(({ Version }) => Version)
  const of = (number: number) => versions.find(({ Version }) => Version === number)
  const [old, fresh] = [of(before.value), of(after.value)]
  return (
    <div class="item">
      <p class="line">
        <Choice label="Compare version" value={before} options={numbers} />
        <Choice label="with version" value={after} options={numbers} />
      </p>
      {old && fresh && <Diff diff={diffVersions(old, fresh)} />}
    </div>
  )
}
