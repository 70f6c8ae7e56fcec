import type { Evaluation } from 'plinth/scheduler'
import { useRoute } from 'preact-iso/router'
import { useResource } from '../../data/resource.ts'
import { Facts } from '../../ui/facts.tsx'
import { JsonButton } from '../../ui/json-button.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Status } from '../../ui/status.tsx'
import { Time } from '../../ui/time.tsx'
import { View } from '../../ui/view.tsx'
import { evaluationLink, jobLink } from './links.ts'
import { readScheduler } from './list.ts'
import { PlacementFailureList, type PlacementFailures } from './placement-failures.tsx'

/** One evaluation, live: its cause, its decisions, and the allocations it could not place. */
export default function EvaluationView() {
  const id = useRoute().params['id'] ?? ''
  const { value, problem } = useResource(
    (asked) => readScheduler<Evaluation>(`/v1/evaluation/${id}`, {}, asked),
    [id],
  ).state.value
  const failures = (value?.FailedTGAllocs ?? undefined) as PlacementFailures | undefined
  return (
    <View
      title={`Evaluation ${id.slice(0, 8)}`}
      actions={value && <JsonButton name="the evaluation" value={value} />}
    >
      {problem && <Problem problem={problem} service="scheduler" />}
      {!value && !problem && <p class="muted">Loading …</p>}
      {value && (
        <>
          <Facts
            of={[
              ['Status', <Status key="status" of={value.Status} />],
              ['Cause', value.TriggeredBy],
              [
                'Job',
                <a key="job" href={jobLink(value.JobID, value.Namespace)}>
                  {value.JobID}
                </a>,
              ],
              ['Priority', value.Priority],
              ['Created', <Time key="time" ms={value.CreateTime / 1e6} />],
              ['Description', value.StatusDescription || '–'],
              ...(value.BlockedEval
                ? [
                    [
                      'Blocked evaluation',
                      <a key="blocked" href={evaluationLink(value.BlockedEval)}>
                        {value.BlockedEval.slice(0, 8)}
                      </a>,
                    ] as const,
                  ]
                : []),
            ]}
          />
          {failures && Object.keys(failures).length > 0 && (
            <>
              <h2>Placement failures</h2>
              <PlacementFailureList failures={failures} />
            </>
          )}
        </>
      )}
    </View>
  )
}
