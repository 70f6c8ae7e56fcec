import { useSignal } from '@preact/signals'
import { useResource } from '../../data/resource.ts'
import { Action } from '../../ui/action.tsx'
import { Problem } from '../../ui/problem.tsx'
import { toast } from '../../ui/toasts.tsx'
import { escapedPath, secretsCall } from './api.ts'
import { Fields } from './fields.tsx'
import { SecretForm } from './secret-form.tsx'

/** A secret without versions. */
export function PlainSecret({ mount, path }: { readonly mount: string; readonly path: string }) {
  const at = `${mount}${escapedPath(path)}`
  const isWriting = useSignal(false)
  const secret = useResource(
    async ({ signal }) => ({ value: await secretsCall<Readonly<Record<string, unknown>>>(at, { signal }) }),
    [at],
  )
  const { value, problem } = secret.state.value
  const save = async (data: Readonly<Record<string, unknown>>) => {
    await secretsCall(at, { method: 'POST', body: data })
    isWriting.value = false
    toast('Saved.')
    secret.reload()
  }
  if (problem?.status === 404) return <SecretForm data={{}} note="There is no such secret yet." save={save} />
  if (problem) return <Problem problem={problem} service="secrets" />
  if (!value) return <p class="muted">Loading …</p>
  if (isWriting.value)
    return (
      <SecretForm
        data={value}
        save={save}
        cancel={() => {
          isWriting.value = false
        }}
      />
    )
  return (
    <>
      <p class="actions">
        <button
          type="button"
          onClick={() => {
            isWriting.value = true
          }}
        >
          Edit
        </button>
        <Action
          kind="danger"
          confirm={{ title: `Delete ${path}?`, text: 'This cannot be undone.', action: 'Delete' }}
          run={async () => {
            await secretsCall(at, { method: 'DELETE' })
            secret.reload()
          }}
        >
          Delete
        </Action>
      </p>
      <Fields data={value} />
    </>
  )
}
