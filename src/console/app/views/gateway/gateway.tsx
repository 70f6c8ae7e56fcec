import { useSignal } from '@preact/signals'
import { addressOf } from '../../data/call.ts'
import { useResource } from '../../data/resource.ts'
import { Status } from '../../ui/status.tsx'

interface Sample {
  readonly at: number
  readonly status: number
}

interface Worker {
  readonly state: string
  readonly active_session_count: number
  readonly upstream_connection_state: string
}

const everyMs = 2000
const kept = 150

/** Health as a probe sees it, and how it was since the page was opened: an endpoint without blocking queries is sampled. */
export default function Gateway() {
  const samples = useSignal<readonly Sample[]>([])
  const { state } = useResource<{ status: number; worker: Worker | undefined }>(async ({ index, signal }) => {
    if (index !== undefined) await new Promise((resolve) => setTimeout(resolve, everyMs))
    const response = await fetch(addressOf('gateway', '/health', { worker_info: 1 }), {
      signal,
      cache: 'no-store',
    })
    const text = await response.text()
    const worker = /json/.test(response.headers.get('content-type') ?? '')
      ? JSON.parse(text)?.worker_process_info
      : undefined
    samples.value = [...samples.value.slice(1 - kept), { at: Date.now(), status: response.status }]
    return { value: { status: response.status, worker }, index: (index ?? 0) + 1 }
  }, [])
  const { value, problem } = state.value
  const health = problem
    ? 'away'
    : value === undefined
      ? 'asking'
      : value.status === 200
        ? 'healthy'
        : 'unhealthy'
  return (
    <section class="view">
      <h1>Gateway</h1>
      <p>
        <Status of={health} /> {value && <span class="muted">status {value.status}</span>}
      </p>
      <h2>Since this page was opened</h2>
      <ol
        class="strip"
        aria-label={`${samples.value.filter(({ status }) => status === 200).length} of ${samples.value.length} probes were healthy`}
      >
        {samples.value.map(({ at, status }) => (
          <li
            key={at}
            class={status === 200 ? 'good' : 'bad'}
            title={`${new Date(at).toLocaleTimeString()}: ${status}`}
          />
        ))}
      </ol>
      <h2>Worker</h2>
      {value?.worker ? (
        <dl class="facts">
          <div>
            <dt>State</dt>
            <dd>
              <Status of={value.worker.state} />
            </dd>
          </div>
          <div>
            <dt>Connection</dt>
            <dd>{value.worker.upstream_connection_state}</dd>
          </div>
          <div>
            <dt>Sessions</dt>
            <dd>{value.worker.active_session_count}</dd>
          </div>
        </dl>
      ) : (
        <p class="muted">This process has no worker.</p>
      )}
    </section>
  )
}
