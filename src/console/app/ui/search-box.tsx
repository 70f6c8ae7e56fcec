import { useId } from 'preact/hooks'

/** The search of a list, asked when it is submitted. */
export function SearchBox({
  value,
  onSearch,
}: {
  readonly value: string
  readonly onSearch: (text: string) => void
}) {
  const id = useId()
  return (
    <search>
      <form
        class="filter"
        onSubmit={(event) => {
          event.preventDefault()
          onSearch(new FormData(event.currentTarget).get('q')?.toString().trim() ?? '')
        }}
      >
        <label for={id}>Search</label>
        <input id={id} name="q" type="search" autocomplete="off" defaultValue={value} />
      </form>
    </search>
  )
}
