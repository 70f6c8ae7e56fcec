import { useSignal } from '@preact/signals'
import { useId } from 'preact/hooks'
import { Problem } from '../../data/call.ts'
import { ActionForm } from '../../ui/action.tsx'
import { RevealButton } from '../../ui/reveal-button.tsx'
import { useRevealed } from '../../ui/revealed.ts'
import { TokenField } from '../../ui/token-field.tsx'
import { textOf } from './fields.tsx'

interface Row {
  readonly id: number
  readonly name: string
  readonly text: string
}

let last = 0
const newRow = (name = '', text = ''): Row => {
  last += 1
  return { id: last, name, text }
}

/** A row for each field, or an empty one. */
const rowsOf = (data: Readonly<Record<string, unknown>>): readonly Row[] => {
  const rows = Object.entries(data).map(([name, value]) => newRow(name, textOf(value)))
  return rows.length === 0 ? [newRow()] : rows
}

/** The fields to write: a value that was not changed keeps its type. */
function writtenIn(
  rows: readonly Row[],
  earlier: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const named = rows.filter(({ name }) => name !== '')
  const twice = named.find(({ name }, at) => named.findIndex((row) => row.name === name) < at)
  if (twice) throw new Error(`There are two fields ${twice.name}.`)
  return Object.fromEntries(
    named.map(({ name, text }) => [
      name,
      Object.hasOwn(earlier, name) && textOf(earlier[name]) === text ? earlier[name] : text,
    ]),
  )
}

interface SecretFormProps {
  readonly data: Readonly<Record<string, unknown>>
  readonly note?: string
  /** Whether values are hidden until they are revealed. */
  readonly isSecret?: boolean
  readonly save: (data: Readonly<Record<string, unknown>>) => Promise<unknown>
  readonly cancel?: () => void
}

/** Fields to write. A value that is not a string keeps its type unless it is changed. */
export function SecretForm({ data, note, isSecret = true, save, cancel }: SecretFormProps) {
  const rows = useSignal(rowsOf(data))
  const isRefused = useSignal(false)
  const send = async () => {
    isRefused.value = false
    try {
      return await save(writtenIn(rows.value, data))
    } catch (error) {
      isRefused.value = error instanceof Problem && (error.status === 401 || error.status === 403)
      throw error
    }
  }
  const change = (changed: Row) => {
    rows.value = rows.value.map((row) => (row.id === changed.id ? changed : row))
  }
  return (
    <>
      <ActionForm
        action="Save"
        isLine={false}
        run={send}
        extra={
          <>
            <button
              type="button"
              class="quiet"
              onClick={() => {
                rows.value = [...rows.value, newRow()]
              }}
            >
              Add a field
            </button>
            {cancel && (
              <button type="button" class="quiet" onClick={cancel}>
                Cancel
              </button>
            )}
          </>
        }
      >
        {rows.value.map((row, at) => (
          <FieldRow
            key={row.id}
            row={row}
            at={at}
            isSecret={isSecret}
            change={change}
            remove={() => {
              rows.value = rows.value.filter((each) => each !== row)
            }}
          />
        ))}
        {note && <p class="muted">{note}</p>}
      </ActionForm>
      {isRefused.value && <SignInAgain />}
    </>
  )
}

/** For a sign-in that ended while its user typed. */
const SignInAgain = () => (
  <div class="problem" role="alert">
    <p>Nothing is saved. If the sign-in has ended, sign in again, then save: the fields stay as they are.</p>
    <TokenField service="secrets" />
  </div>
)

/** The name and the value of a field, and the button that removes it. */
function FieldRow({
  row,
  at,
  isSecret,
  change,
  remove,
}: {
  readonly row: Row
  readonly at: number
  readonly isSecret: boolean
  readonly change: (row: Row) => void
  readonly remove: () => void
}) {
  const id = useId()
  return (
    <div class="pair">
      <label class="hidden" for={`${id}-name`}>
        Name of field {at + 1}
      </label>
      <input
        id={`${id}-name`}
        placeholder="name"
        spellcheck={false}
        value={row.name}
        onInput={(event) => change({ ...row, name: event.currentTarget.value })}
      />
      <label class="hidden" for={`${id}-text`}>
        Value of field {at + 1}
      </label>
      <ValueInput
        id={`${id}-text`}
        at={at}
        text={row.text}
        isSecret={isSecret}
        change={(text) => change({ ...row, text })}
      />
      <button type="button" class="quiet" onClick={remove}>
        Remove<span class="hidden"> field {at + 1}</span>
      </button>
    </div>
  )
}

/** The input of a value, hidden until it is revealed, and only for a while. */
function ValueInput({
  id,
  at,
  text,
  isSecret,
  change,
}: {
  readonly id: string
  readonly at: number
  readonly text: string
  readonly isSecret: boolean
  readonly change: (text: string) => void
}) {
  const isShown = useRevealed()
  return (
    <>
      <input
        id={id}
        {...(isShown.value || !isSecret ? {} : ({ type: 'password' } as const))}
        placeholder="value"
        spellcheck={false}
        autocomplete="new-password"
        value={text}
        onInput={(event) => change(event.currentTarget.value)}
      />
      {isSecret && <RevealButton isShown={isShown}>the value of field {at + 1}</RevealButton>}
    </>
  )
}
