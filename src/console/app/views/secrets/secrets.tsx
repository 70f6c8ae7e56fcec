import { useSignal } from '@preact/signals'
import { useId } from 'preact/hooks'
import { viewPath } from '../../data/base-path.ts'
import { call } from '../../data/call.ts'
import { useResource } from '../../data/resource.ts'
import { tokens } from '../../data/tokens.ts'
import { Action } from '../../ui/action.tsx'
import { Facts } from '../../ui/facts.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Rows } from '../../ui/rows.tsx'
import { Status } from '../../ui/status.tsx'
import { TokenField } from '../../ui/token-field.tsx'
import { readMounts } from './api.ts'

interface SealStatus {
  readonly initialized: boolean
  readonly sealed: boolean
  readonly t: number
  readonly n: number
  readonly progress: number
}

/** The seal, the token, and the mounts it may see. */
export default function Secrets() {
  const seal = useResource(
    async ({ signal }) => ({
      value: (await call<SealStatus>('secrets', '/v1/sys/seal-status', { signal })).body,
    }),
    [],
  )
  const { value: status, problem } = seal.state.value
  const isOpen = status?.initialized && !status.sealed
  return (
    <section class="view">
      <div class="title">
        <h1>Secrets</h1>
        {isOpen && tokens.value.secrets !== undefined && (
          <Action
            kind="danger"
            confirm="Seal the service? Nothing can be read until enough key shares are given."
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
      {isOpen && (
        <>
          <TokenField service="secrets" />
          {tokens.value.secrets !== undefined && <Mounts />}
        </>
      )}
    </section>
  )
}

function Unseal({ status, reload }: { readonly status: SealStatus; readonly reload: () => void }) {
  const id = useId()
  const share = useSignal('')
  return (
    <>
      <p>
        <Status of="sealed" /> {status.progress} of {status.t} key shares given
      </p>
      <form class="token" onSubmit={(event) => event.preventDefault()}>
        <label for={id}>Key share</label>
        <input
          id={id}
          type="password"
          autocomplete="off"
          value={share}
          onInput={(event) => {
            share.value = event.currentTarget.value
          }}
        />
        <Action
          run={async () => {
            const key = share.value.trim()
            share.value = ''
            await call('secrets', '/v1/sys/unseal', { method: 'PUT', body: { key } })
            reload()
          }}
        >
          Unseal
        </Action>
      </form>
    </>
  )
}

function Mounts() {
  const { value, problem } = useResource(async () => ({ value: await readMounts() }), []).state.value
  if (problem) return <Problem problem={problem} service="secrets" />
  if (!value) return null
  const kv = Object.entries(value).filter(([, { type }]) => type === 'kv' || type === 'generic')
  return (
    <>
      <Token />
      <h2>Mounts</h2>
      {kv.length === 0 ? (
        <p class="empty">This token sees no mounts.</p>
      ) : (
        <Rows
          label="Mounts"
          rows={kv}
          keyOf={([path]) => path}
          columns={[
            {
              title: 'Mount',
              cell: ([path]) => (
                <a href={viewPath(`/secrets/browse/${path}`)} data-row-link>
                  {path}
                </a>
              ),
            },
            {
              title: 'Kind',
              cell: ([, { options }]) => `key/value ${options?.version === '2' ? 'with versions' : ''}`,
            },
            { title: 'Description', cell: ([, { description }]) => description, isMinor: true },
          ]}
        />
      )}
      <p>
        <a href={viewPath('/secrets/policies')}>Policies</a>
      </p>
    </>
  )
}

interface TokenDetail {
  readonly display_name: string
  readonly policies: readonly string[]
  readonly ttl: number
  readonly renewable: boolean
  readonly type: string
}

function Token() {
  const own = useResource(async ({ signal }) => {
    const { body } = await call<{ readonly data: TokenDetail }>('secrets', '/v1/auth/token/lookup-self', {
      signal,
    })
    return { value: body.data }
  }, [])
  const { value, problem } = own.state.value
  // A token field stands above already.
  if (problem)
    return (
      <p class="problem" role="alert">
        <strong>{problem.status === 403 ? 'Not permitted' : 'The token cannot be looked up'}</strong>{' '}
        {problem.message}
      </p>
    )
  if (!value) return null
  return (
    <>
      <h2>Token</h2>
      <Facts
        of={[
          ['Name', value.display_name],
          ['Policies', value.policies.join(', ')],
          ['Expires', value.ttl === 0 ? 'never' : `in ${value.ttl} s`],
          ['Kind', value.type],
        ]}
      />
      {value.renewable && (
        <p class="actions">
          <Action
            kind="quiet"
            done="The token is renewed."
            run={async () => {
              await call('secrets', '/v1/auth/token/renew-self', { method: 'POST', body: {} })
              own.reload()
            }}
          >
            Renew
          </Action>
        </p>
      )}
    </>
  )
}
