import { useLocation } from 'preact-iso/router'
import { viewPath } from '../../data/base-path.ts'
import { useResource } from '../../data/resource.ts'
import { tokens } from '../../data/tokens.ts'
import { Problem } from '../../ui/problem.tsx'
import { secretsCall } from './api.ts'
import { Login } from './login.tsx'
import { PolicyTester } from './policy-tester.tsx'
import { Sealable } from './seal.tsx'

/** The policies, and a test of which rule decides for a token. */
export default function Policies() {
  return (
    <Sealable title="Policies">
      {tokens.value.secrets === undefined ? (
        <Login />
      ) : (
        <>
          <h2>Test access</h2>
          <PolicyTester />
          <h2>Policies</h2>
          <PolicyList />
        </>
      )}
    </Sealable>
  )
}

function PolicyList() {
  const { query } = useLocation()
  const named = query['name']
  const line = Number(query['line'] ?? 0)
  const { value, problem } = useResource(async ({ signal }) => {
    const { keys } = await secretsCall<{ readonly keys: readonly string[] }>('sys/policies/acl', {
      query: { list: 'true' },
      signal,
    })
    return { value: keys }
  }, []).state.value
  return (
    <>
      {problem && <Problem problem={problem} service="secrets" />}
      <ul class="plain">
        {(value ?? []).map((name) => (
          <li key={name} class="item">
            <a
              href={viewPath(`/secrets/policies${name === named ? '' : `?name=${encodeURIComponent(name)}`}`)}
              aria-expanded={name === named}
              data-row-link
            >
              {name}
            </a>
            {name === named && <Policy name={name} line={line} />}
          </li>
        ))}
      </ul>
    </>
  )
}

function Policy({ name, line }: { readonly name: string; readonly line: number }) {
  const { value, problem } = useResource(
    async ({ signal }) => ({
      value: await secretsCall<{ readonly policy: string }>(`sys/policies/acl/${encodeURIComponent(name)}`, {
        signal,
      }),
    }),
    [name],
  ).state.value
  if (problem) return <Problem problem={problem} service="secrets" />
  if (!value) return <p class="muted">Loading …</p>
  if (value.policy === '') return <p class="muted">This policy has no rules of its own.</p>
  return (
    <pre>
      {value.policy.split('\n').map((text, at) => (
        <span key={at} class={at + 1 === line ? 'rule' : undefined}>
          {`${text}\n`}
        </span>
      ))}
    </pre>
  )
}
