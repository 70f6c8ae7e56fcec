import { viewPath } from '../../data/base-path.ts'
import { useResource } from '../../data/resource.ts'
import { tokens } from '../../data/tokens.ts'
import { Problem } from '../../ui/problem.tsx'
import { Rows } from '../../ui/rows.tsx'
import { TokenField } from '../../ui/token-field.tsx'
import { readMounts, secretsCall, type TokenDetail } from './api.ts'
import { Login } from './login.tsx'
import { Sealable, SealNow } from './seal.tsx'

/** The sign-in, or the mounts that the token may see. */
export default function Secrets() {
  return (
    <Sealable title="Secrets" actions={tokens.value.secrets !== undefined && <SealNow />}>
      {tokens.value.secrets === undefined ? (
        <Login />
      ) : (
        <>
          <TokenField service="secrets" />
          <OwnToken />
          <Mounts />
        </>
      )}
    </Sealable>
  )
}

/** Who is signed in, or that the token is invalid. */
function OwnToken() {
  const { value, problem } = useResource(
    async ({ signal }) => ({ value: await secretsCall<TokenDetail>('auth/token/lookup-self', { signal }) }),
    [],
  ).state.value
  // There is a token field above already.
  if (problem)
    return (
      <p class="problem" role="alert">
        <strong>{problem.status === 403 ? 'Not permitted' : 'The token cannot be looked up'}</strong>{' '}
        {problem.message}
      </p>
    )
  if (!value) return null
  return (
    <p class="muted">
      Signed in as {value.display_name}; policies: {value.policies.join(', ')}
    </p>
  )
}

function Mounts() {
  const { value, problem } = useResource(async () => ({ value: await readMounts() }), []).state.value
  if (problem) return <Problem problem={problem} service="secrets" />
  if (!value) return null
  const kv = Object.entries(value).filter(([, { type }]) => type === 'kv' || type === 'generic')
  return (
    <>
      <h2>Mounts</h2>
      {kv.length === 0 ? (
        <p class="empty">This token has access to no mount.</p>
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
              title: 'Type',
              cell: ([, { options }]) => `key/value, version ${options?.version ?? '1'}`,
            },
            { title: 'Description', cell: ([, { description }]) => description, isMinor: true },
          ]}
        />
      )}
    </>
  )
}
