import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { call } from '../../data/call.ts'
import { useResource } from '../../data/resource.ts'
import { tokens } from '../../data/tokens.ts'
import { Action, ActionForm } from '../../ui/action.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Status } from '../../ui/status.tsx'
import { TextField } from '../../ui/text-field.tsx'

interface SealStatus {
  readonly initialized: boolean
  readonly sealed: boolean
  readonly t: number
  readonly n: number
  readonly progress: number
  readonly version?: string
}

/** The polling interval of the seal, because the service has no blocking queries. */
const everyMs = 3000

/** A view of a service that may be sealed: its title, and its content while unsealed. */
export function Sealable({
  title,
  children,
}: {
  readonly title: ComponentChildren
  readonly children: ComponentChildren
}) {
  const seal = useResource(
    async ({ signal }) => ({
      value: (await call<SealStatus>('secrets', '/v1/sys/seal-status', { signal })).body,
      againMs: everyMs,
    }),
    [],
  )
  const { value: status, problem } = seal.state.value
  const isOpen = status?.initialized && !status.sealed
  return (
    <section class="view">
      <div class="title">
        {title}
        {isOpen && tokens.value.secrets !== undefined && (
          <Action
            kind="danger"
            confirm="Seal the service? It refuses all requests until enough key shares are provided."
            run={async () => {
              await call('secrets', '/v1/sys/seal', { method: 'PUT' })
              seal.reload()
            }}
          >
            Seal
          </Action>
        )}
      </div>
      {problem && <Problem problem={problem} service="secrets" />}
      {status && !status.initialized && <p class="empty">This service is not initialised yet.</p>}
      {status?.initialized && status.sealed && <Unseal status={status} reload={seal.reload} />}
      {isOpen && children}
    </section>
  )
}

function Unseal({ status, reload }: { readonly status: SealStatus; readonly reload: () => void }) {
  const share = useSignal('')
  const put = (body: Readonly<Record<string, unknown>>) => async () => {
    share.value = ''
    await call('secrets', '/v1/sys/unseal', { method: 'PUT', body })
    reload()
  }
  return (
    <>
      <p role="status">
        <Status of="sealed" /> {status.progress} of {status.t} key shares given
        {status.n > status.t && `; there are ${status.n}`}
      </p>
      <progress max={status.t} value={status.progress} aria-label="Unsealing" />
      <ActionForm
        action="Unseal"
        run={() => put({ key: share.value.trim() })()}
        extra={
          status.progress > 0 && (
            <Action kind="quiet" run={put({ reset: true })}>
              Start over
            </Action>
          )
        }
      >
        <TextField label="Key share" text={share} isSecret />
      </ActionForm>
    </>
  )
}
