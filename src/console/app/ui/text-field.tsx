import type { Signal } from '@preact/signals'
import { useId } from 'preact/hooks'

/** A labelled field of a form; its text is stored in a signal. */
export function TextField({
  label,
  text,
  isSecret = false,
  isLabelHidden = false,
  placeholder,
  list,
}: {
  readonly label: string
  readonly text: Signal<string>
  /** Shows dots instead of the text. */
  readonly isSecret?: boolean
  /** Keeps the label for screen readers only. */
  readonly isLabelHidden?: boolean
  readonly placeholder?: string | undefined
  /** The `datalist` that completes it. */
  readonly list?: string | undefined
}) {
  const id = useId()
  return (
    <>
      <label for={id} class={isLabelHidden ? 'hidden' : undefined}>
        {label}
      </label>
      <input
        id={id}
        {...(isSecret ? ({ type: 'password' } as const) : { list })}
        autocomplete="off"
        autocapitalize="off"
        spellcheck={false}
        placeholder={placeholder}
        value={text}
        onInput={(event) => {
          text.value = event.currentTarget.value
        }}
      />
    </>
  )
}
