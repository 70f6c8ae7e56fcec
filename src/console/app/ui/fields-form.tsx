import { useSignal } from '@preact/signals'
import { useId } from 'preact/hooks'
import { ActionForm } from './action.tsx'
import { bodyOf, type Field, labelOf, textOfValue } from './form-fields.ts'

interface FieldsFormProps {
  /** The fields that are shown. */
  readonly fields: readonly Field[]
  /** The fields behind “More settings”. */
  readonly more?: readonly Field[]
  /** The object to change. */
  readonly values?: Readonly<Record<string, unknown>>
  /** Whether a request replaces the whole object. */
  readonly isReplaced?: boolean
  /** The label of the button. */
  readonly action: string
  readonly send: (body: Readonly<Record<string, unknown>>) => Promise<unknown>
}

/** A form for the fields of a request. */
export function FieldsForm({
  fields,
  more = [],
  values = {},
  isReplaced = false,
  action,
  send,
}: FieldsFormProps) {
  const all = [...fields, ...more]
  const earlier = Object.fromEntries(all.map(({ name }) => [name, textOfValue(values[name])]))
  const texts = useSignal(earlier)
  const controls = (of: readonly Field[]) =>
    of.map((field) => (
      <Control
        key={field.name}
        field={field}
        text={texts.value[field.name] ?? ''}
        change={(text) => {
          texts.value = { ...texts.value, [field.name]: text }
        }}
      />
    ))
  return (
    <ActionForm
      action={action}
      isLine={false}
      run={() => send(bodyOf(all, texts.value, earlier, isReplaced))}
    >
      {controls(fields)}
      {more.length > 0 && (
        <details>
          <summary>More settings</summary>
          <div class="stack">{controls(more)}</div>
        </details>
      )}
    </ActionForm>
  )
}

const hints: Readonly<Partial<Record<Field['kind'], string>>> = {
  duration: 'such as 1h or 30m',
  list: 'separated by commas',
  map: 'name=value, one a line',
}

function Control({
  field: { name, kind, options = [] },
  text,
  change,
}: {
  readonly field: Field
  readonly text: string
  readonly change: (text: string) => void
}) {
  const id = useId()
  const label = labelOf(name)
  if (kind === 'boolean')
    return (
      <label class="check">
        <input
          type="checkbox"
          checked={text === 'true'}
          onChange={({ currentTarget: { checked } }) => change(String(checked))}
        />{' '}
        {label}
      </label>
    )
  const common = { id, autocomplete: 'off', spellcheck: false, placeholder: hints[kind], value: text }
  return (
    <>
      <label for={id}>{label}</label>
      {kind === 'choice' ? (
        <select id={id} value={text} onChange={({ currentTarget: { value } }) => change(value)}>
          <option value="">default</option>
          {options.map((option) => (
            <option key={option}>{option}</option>
          ))}
        </select>
      ) : kind === 'map' || kind === 'lines' ? (
        <textarea
          {...common}
          rows={kind === 'map' ? 3 : 10}
          onInput={({ currentTarget: { value } }) => change(value)}
        />
      ) : (
        <input
          {...common}
          {...(kind === 'secret' ? ({ type: 'password', autocomplete: 'new-password' } as const) : {})}
          onInput={({ currentTarget: { value } }) => change(value)}
        />
      )}
    </>
  )
}
