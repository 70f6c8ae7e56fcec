import { useSignal } from '@preact/signals'
import { useId } from 'preact/hooks'
import { viewPath } from '../../data/base-path.ts'
import { useResource } from '../../data/resource.ts'
import { Action } from '../../ui/action.tsx'
import { Problem } from '../../ui/problem.tsx'
import { secretsCall } from './api.ts'

/** The policies, and what the token may do at a path. */
export default function Policies() {
  const shown = useSignal<string | undefined>(undefined)
  const { value, problem } = useResource(async ({ signal }) => {
    const { keys } = await secretsCall<{ readonly keys: readonly string[] }>('sys/policies/acl', {
      query: { list: 'true' },
      signal,
    })
    return { value: keys }
  }, []).state.value
  return (
    <section class="view">
      <h1 class="crumbs">
        <a href={viewPath('/secrets')}>Secrets</a> / Policies
      </h1>
      <Tester />
      {problem && <Problem problem={problem} service="secrets" />}
      <ul class="plain">
        {(value ?? []).map((name) => (
          <li key={name} class="item">
            <button
              type="button"
              class="quiet"
              aria-expanded={shown.value === name}
              onClick={() => {
                shown.value = shown.value === name ? undefined : name
              }}
            >
              {name}
            </button>
            {shown.value === name && <Policy name={name} />}
          </li>
        ))}
      </ul>
    </section>
  )
}

function Policy({ name }: { readonly name: string }) {
  const { value, problem } = useResource(
    async ({ signal }) => ({
      value: await secretsCall<{ readonly policy: string }>(`sys/policies/acl/${encodeURIComponent(name)}`, {
        signal,
      }),
    }),
    [name],
  ).state.value
  if (problem) return <Problem problem={problem} service="secrets" />
  return <pre>{value?.policy || (value ? 'This policy has no rules of its own.' : 'Loading …')}</pre>
}

/** "May this token do this?" */
function Tester() {
  const pathId = useId()
  const tokenId = useId()
  const path = useSignal('')
  const token = useSignal('')
  const capabilities = useSignal<readonly string[] | undefined>(undefined)
  return (
    <form class="item" autocomplete="off" onSubmit={(event) => event.preventDefault()}>
      <div class="pair">
        <label for={pathId}>Path</label>
        <input
          id={pathId}
          placeholder="secret/data/app"
          value={path}
          onInput={(event) => {
            path.value = event.currentTarget.value
          }}
        />
        <label for={tokenId}>Token to test, or none for this one</label>
        <input
          id={tokenId}
          type="password"
          autocomplete="off"
          value={token}
          onInput={(event) => {
            token.value = event.currentTarget.value
          }}
        />
        <Action
          run={async () => {
            const asked = { paths: [path.value] }
            const found = await secretsCall<Readonly<Record<string, readonly string[]>>>(
              token.value === '' ? 'sys/capabilities-self' : 'sys/capabilities',
              { method: 'POST', body: token.value === '' ? asked : { ...asked, token: token.value } },
            )
            capabilities.value = found[path.value] ?? []
          }}
        >
          What may it do?
        </Action>
      </div>
      {capabilities.value && (
        <p role="status">
          {capabilities.value.includes('deny')
            ? 'Nothing: denied.'
            : `It may ${capabilities.value.join(', ')}.`}
        </p>
      )}
    </form>
  )
}
