import { useSignal } from '@preact/signals'
import { systemEnv } from '../../../../kernel/system-env.ts'
import { useResource } from '../../data/resource.ts'
import { Facts } from '../../ui/facts.tsx'
import { LineChart } from '../../ui/line-chart.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Rows } from '../../ui/rows.tsx'
import { Status } from '../../ui/status.tsx'
import { View } from '../../ui/view.tsx'
import { conditionOf, probe, type Sample, type Stretch, stretchesOf, type Worker } from './health.ts'

/** The endpoint has no blocking queries: it is probed this often. */
const everyMs = 2000
const kept = 300

/** Health as a probe sees it, the worker, and how both were since the page was opened. */
export default function Gateway() {
  const samples = useSignal<readonly Sample[]>([])
  const keep = (sample: Sample) => {
    samples.value = [...samples.value.slice(1 - kept), sample]
    return sample
  }
  const { value, problem } = useResource<Sample>(async ({ signal }) => {
    try {
      return { value: keep(await probe(signal)), againMs: everyMs }
    } catch (error) {
      if (!signal.aborted) keep({ at: systemEnv().now, status: 0, tookMs: 0, worker: undefined })
      throw error
    }
  }, []).state.value
  const seen = samples.value
  const now = seen.at(-1)
  const isGood = ({ status }: Sample) => status === 200
  return (
    <View title="Gateway">
      <p>
        <Status of={now ? conditionOf(now) : 'asking'} />{' '}
        {now !== undefined && now.status !== 0 && <span class="muted">status {now.status}</span>}
      </p>
      {problem && <Problem problem={problem} service="gateway" />}
      <h2>Worker</h2>
      {value?.worker ? (
        <WorkerFacts worker={value.worker} />
      ) : (
        <p class="muted">This process reports no worker.</p>
      )}
      <h2>Since this page was opened</h2>
      <ol class="strip" aria-label={`${seen.filter(isGood).length} of ${seen.length} probes were healthy`}>
        {seen.slice(-150).map((sample) => (
          <li
            key={sample.at}
            class={isGood(sample) ? 'good' : 'bad'}
            title={`${timeOf(sample.at)}: ${conditionOf(sample)}`}
          />
        ))}
      </ol>
      <LineChart
        title="Answer time"
        points={seen.map(({ at, status, tookMs }) => ({ at, value: status === 0 ? undefined : tookMs }))}
        textOf={(ms) => `${ms.toFixed(0)} ms`}
      />
      {seen.some(({ worker }) => worker) && (
        <LineChart
          title="Sessions"
          points={seen.map(({ at, worker }) => ({ at, value: worker?.active_session_count }))}
          textOf={String}
        />
      )}
      {now && <Conditions stretches={stretchesOf(seen)} />}
    </View>
  )
}

function WorkerFacts({ worker }: { readonly worker: Worker }) {
  return (
    <Facts
      of={[
        ['State', <Status key="state" of={worker.state} />],
        ['Connection', worker.upstream_connection_state],
        ['Sessions', worker.active_session_count],
        ...Object.entries(worker.session_connections ?? {})
          .slice(0, 20)
          .map(([session, count]) => [`Connections of ${session}`, count] as const),
      ]}
    />
  )
}

const Conditions = ({ stretches }: { readonly stretches: readonly Stretch[] }) => (
  <Rows
    label="Conditions"
    rows={stretches}
    keyOf={({ from }) => String(from)}
    columns={[
      { title: 'Condition', cell: ({ condition }) => <Status of={condition} /> },
      { title: 'From', cell: ({ from }) => timeOf(from) },
      { title: 'For', cell: ({ from, to }) => `${Math.round((to - from) / 1000)} s`, isNumber: true },
    ]}
  />
)

const timeOf = (at: number): string => new Date(at).toLocaleTimeString()
