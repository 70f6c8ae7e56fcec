import type { ComponentChildren } from 'preact'

/** The form above a list that selects its rows. */
export function QueryForm({
  label,
  field,
  onSubmit,
  children,
}: {
  readonly label: string
  /** The ID of the input. */
  readonly field: string
  readonly onSubmit: () => void
  readonly children: ComponentChildren
}) {
  return (
    <search>
      <form
        class="filter"
        onSubmit={(event) => {
          event.preventDefault()
          onSubmit()
        }}
      >
        <label for={field}>{label}</label>
        {children}
      </form>
    </search>
  )
}
