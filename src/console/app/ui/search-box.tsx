import { useEffect, useId, useState } from 'preact/hooks'
import { QueryForm } from './query-form.tsx'

/** The search of a list, sent on submit. */
export function SearchBox({
  value,
  onInput,
  onSearch,
}: {
  readonly value: string
  /** Called with the text after each key. */
  readonly onInput?: (text: string) => void
  readonly onSearch: (text: string) => void
}) {
  const id = useId()
  const [text, setText] = useState(value)
  useEffect(() => setText(value), [value])
  return (
    <QueryForm label="Search" field={id} onSubmit={() => onSearch(text.trim())}>
      <input
        id={id}
        type="search"
        autocomplete="off"
        data-query
        value={text}
        onInput={(event) => {
          setText(event.currentTarget.value)
          onInput?.(event.currentTarget.value)
        }}
      />
    </QueryForm>
  )
}
