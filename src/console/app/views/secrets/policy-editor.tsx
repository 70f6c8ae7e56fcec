import { useSignal } from '@preact/signals'
import { useId } from 'preact/hooks'
import { useResource } from '../../data/resource.ts'
import { Action, ActionForm } from '../../ui/action.tsx'
import { Editor, placeIn } from '../../ui/editor.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { toast } from '../../ui/toasts.tsx'
import { readMounts, secretsCall } from './api.ts'
import { PolicyTester } from './policy-tester.tsx'

const capabilities = ['create', 'read', 'update', 'patch', 'delete', 'list', 'sudo', 'deny'] as const

interface PolicyEditorProps {
  /** The policy to change; without one, a new one. */
  readonly name?: string
  readonly text?: string
  readonly saved: (name: string) => void
  readonly close: () => void
}

/** Writes a policy: rules are added by a form or as text, and tried before they are saved. */
export function PolicyEditor({ name, text: earlier = '', saved, close }: PolicyEditorProps) {
  const title = useSignal(name ?? '')
  const text = useSignal(earlier)
  const problem = useSignal('')
  const save = async () => {
    problem.value = ''
    const named = title.value.trim()
    if (named === '') throw new Error('Enter a name for the policy.')
    try {
      await secretsCall(`sys/policies/acl/${encodeURIComponent(named)}`, {
        method: 'POST',
        body: { policy: text.value },
      })
    } catch (error) {
      problem.value = error instanceof Error ? error.message : String(error)
      return
    }
    toast(`Saved: ${named}`)
    saved(named)
  }
  return (
    <section class="item" aria-label={name === undefined ? 'New policy' : `Edit ${name}`}>
      {name === undefined && (
        <p class="line">
          <TextField label="Name" text={title} />
        </p>
      )}
      <Editor
        label="Policy"
        text={text}
        mistake={problem.value === '' ? undefined : placeIn(problem.value)}
      />
      {problem.value !== '' && (
        <p class="problem" role="alert">
          {problem.value}
        </p>
      )}
      <RuleForm
        add={(rule) => {
          text.value = `${text.value.trimEnd()}${text.value.trim() === '' ? '' : '\n\n'}${rule}`
        }}
      />
      <h3>Try it before saving</h3>
      <PolicyTester draft={{ name: title.value.trim() || 'draft', text: text.value }} />
      <p class="actions">
        <Action run={save}>Save the policy</Action>
        <button type="button" class="quiet" onClick={close}>
          Cancel
        </button>
      </p>
    </section>
  )
}

/** Adds a rule: its path is completed from the mounts, its capabilities are chosen. */
function RuleForm({ add }: { readonly add: (rule: string) => void }) {
  const id = useId()
  const path = useSignal('')
  const chosen = useSignal<readonly string[]>(['read'])
  const { value: mounts } = useResource(async () => ({ value: await readMounts() }), []).state.value
  const paths = Object.entries(mounts ?? {}).flatMap(([mount, { type, options }]) =>
    type === 'kv' && options?.version === '2' ? [`${mount}data/*`, `${mount}metadata/*`] : [`${mount}*`],
  )
  return (
    <ActionForm
      action="Add the rule"
      run={async () => {
        if (path.value.trim() === '') throw new Error('Enter the path of the rule.')
        const listed = chosen.value.map((each) => JSON.stringify(each)).join(', ')
        add(`path ${JSON.stringify(path.value.trim())} {\n  capabilities = [${listed}]\n}\n`)
        path.value = ''
      }}
    >
      <TextField label="Rule for the path" text={path} placeholder="secret/data/*" list={id} />
      <datalist id={id}>
        {paths.map((each) => (
          <option key={each} value={each} />
        ))}
      </datalist>
      <fieldset class="chips">
        <legend class="hidden">Capabilities</legend>
        {capabilities.map((each) => (
          <button
            key={each}
            type="button"
            class="chip"
            aria-pressed={chosen.value.includes(each)}
            onClick={() => {
              chosen.value = chosen.value.includes(each)
                ? chosen.value.filter((other) => other !== each)
                : [...chosen.value, each]
            }}
          >
            {each}
          </button>
        ))}
      </fieldset>
    </ActionForm>
  )
}
