import { useSignal } from '@preact/signals'
import { useLocation } from 'preact-iso/router'
import { viewPath } from '../../data/base-path.ts'
import { useResource } from '../../data/resource.ts'
import { tokens } from '../../data/tokens.ts'
import { Action } from '../../ui/action.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Problem } from '../../ui/problem.tsx'
import { secretsCall } from './api.ts'
import { Login } from './login.tsx'
import { PolicyEditor } from './policy-editor.tsx'
import { PolicyTester } from './policy-tester.tsx'
import { Sealable } from './seal.tsx'

const pathOf = (name: string): string => `sys/policies/acl/${encodeURIComponent(name)}`
const viewOf = (name?: string): string =>
  viewPath(`/secrets/policies${name === undefined ? '' : `?name=${encodeURIComponent(name)}`}`)

/** The policies, an editor that tries them before they are saved, and a test of which rule decides for a token. */
export default function Policies() {
  const isWriting = useSignal(false)
  const isSignedIn = tokens.value.secrets !== undefined
  return (
    <Sealable
      title="Policies"
      actions={
        isSignedIn && (
          <button
            type="button"
            onClick={() => {
              isWriting.value = true
            }}
          >
            <Icon name="add" /> New policy
          </button>
        )
      }
    >
      {isSignedIn ? (
        <PolicyList
          isWriting={isWriting.value}
          written={() => {
            isWriting.value = false
          }}
        />
      ) : (
        <Login />
      )}
    </Sealable>
  )
}

function PolicyList({ isWriting, written }: { readonly isWriting: boolean; readonly written: () => void }) {
  const { query, route } = useLocation()
  const named = query['name']
  const list = useResource(async ({ signal }) => {
    const { keys } = await secretsCall<{ readonly keys: readonly string[] }>('sys/policies/acl', {
      query: { list: 'true' },
      signal,
    })
    return { value: keys }
  }, [])
  const { value, problem } = list.state.value
  return (
    <>
      {isWriting && (
        <PolicyEditor
          close={written}
          saved={(name) => {
            written()
            list.reload()
            route(viewOf(name))
          }}
        />
      )}
      <h2>Test access</h2>
      <PolicyTester />
      <h2>Policies</h2>
      {problem && <Problem problem={problem} service="secrets" />}
      <ul class="plain">
        {(value ?? []).map((name) => (
          <li key={name} class="item">
            <a href={viewOf(name === named ? undefined : name)} aria-expanded={name === named} data-row-link>
              {name}
            </a>
            {name === named && (
              <Policy
                name={name}
                line={Number(query['line'] ?? 0)}
                gone={() => {
                  list.reload()
                  route(viewOf())
                }}
              />
            )}
          </li>
        ))}
      </ul>
    </>
  )
}

function Policy({
  name,
  line,
  gone,
}: {
  readonly name: string
  readonly line: number
  readonly gone: () => void
}) {
  const isEditing = useSignal(false)
  const policy = useResource(
    async ({ signal }) => ({
      value: await secretsCall<{ readonly policy: string }>(pathOf(name), { signal }),
    }),
    [name],
  )
  const { value, problem } = policy.state.value
  if (problem) return <Problem problem={problem} service="secrets" />
  if (!value) return <p class="muted">Loading …</p>
  if (name === 'root') return <p class="muted">This policy allows everything. It cannot be changed.</p>
  const close = () => {
    isEditing.value = false
  }
  if (isEditing.value)
    return (
      <PolicyEditor
        name={name}
        text={value.policy}
        close={close}
        saved={() => {
          close()
          policy.reload()
        }}
      />
    )
  return (
    <>
      <PolicyText text={value.policy} line={line} />
      <p class="actions">
        <button
          type="button"
          class="quiet"
          onClick={() => {
            isEditing.value = true
          }}
        >
          Edit<span class="hidden"> {name}</span>
        </button>
        {name !== 'default' && <DeletePolicy name={name} gone={gone} />}
      </p>
    </>
  )
}

const DeletePolicy = ({ name, gone }: { readonly name: string; readonly gone: () => void }) => (
  <Action
    kind="danger"
    confirm={{
      title: `Delete ${name}?`,
      text: 'Its tokens lose the rights that it gives at once.',
      action: 'Delete',
    }}
    done={`Deleted: ${name}`}
    run={async () => {
      await secretsCall(pathOf(name), { method: 'DELETE' })
      gone()
    }}
  >
    Delete<span class="hidden"> {name}</span>
  </Action>
)

/** The text of a policy, with the line of a rule marked. */
const PolicyText = ({ text, line }: { readonly text: string; readonly line: number }) => (
  <pre>
    {text.split('\n').map((each, at) => (
      <span key={at} class={at + 1 === line ? 'rule' : undefined}>
        {`${each}\n`}
      </span>
    ))}
  </pre>
)
