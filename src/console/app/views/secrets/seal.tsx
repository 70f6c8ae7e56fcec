import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { call } from '../../data/call.ts'
import { useResource } from '../../data/resource.ts'
import { Action, ActionForm } from '../../ui/action.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Status } from '../../ui/status.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { View } from '../../ui/view.tsx'
import type { SealStatus } from './api.ts'

/** The polling interval of the seal, because the service has no blocking queries. */
const everyMs = 3000

/** The button that seals the service; {@link Sealable} notices. */
export const SealNow = () => (
  <Action
    kind="danger"
    confirm={{
      title: 'Seal the secrets service?',
      text: 'It refuses all requests until enough of its key shares are entered.',
      action: 'Seal',
    }}
    run={() => call('secrets', '/v1/sys/seal', { method: 'PUT' })}
  >
    Seal
  </Action>
)

/** A view of a service that may be sealed: its title, and its content while unsealed. */
export function Sealable({
  title,
  actions,
  children,
}: {
  readonly title: string
  /** The actions while it is unsealed. */
  readonly actions?: ComponentChildren
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
    <View title={title} actions={isOpen && actions}>
      {problem && <Problem problem={problem} service="secrets" />}
      {status && !status.initialized && <p class="empty">This service is not initialised yet.</p>}
      {status?.initialized && status.sealed && <Unseal status={status} reload={seal.reload} />}
      {isOpen && children}
    </View>
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
        <Status of="sealed" /> {status.progress} of {status.t} key shares entered
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
