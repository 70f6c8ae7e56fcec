import type { Signal } from '@preact/signals'
import { useId } from 'preact/hooks'

/** A labelled choice between a few values, stored in a signal. */
export function Choice<Value extends string | number>({
  label,
  value,
  options,
  nameOf = String,
  isLabelHidden = false,
}: {
  readonly label: string
  readonly value: Signal<Value>
  readonly options: readonly Value[]
  readonly nameOf?: (option: Value) => string
  /** Keeps the label for screen readers only. */
  readonly isLabelHidden?: boolean
}) {
  const id = useId()
  return (
    <>
      <label for={id} class={isLabelHidden ? 'hidden' : undefined}>
        {label}
      </label>
      <select
        id={id}
        value={value.value}
        onChange={(event) => {
          const chosen = options[event.currentTarget.selectedIndex]
          if (chosen !== undefined) value.value = chosen
        }}
      >
        {options.map((option) => (
          <option key={option} value={option}>
            {nameOf(option)}
          </option>
        ))}
      </select>
    </>
  )
}
