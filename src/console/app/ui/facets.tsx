/** A property of rows that has few values, with how many of the rows have each. */
export interface Facet {
  readonly title: string
  readonly values: readonly (readonly [value: string, count: number | undefined])[]
  readonly chosen: string | undefined
  /** Called with the value to select rows by; without one for all rows. */
  readonly choose: (value: string | undefined) => void
}

/** More values are a select. */
const mostChips = 6

/** What selects the rows of a list by their properties. */
export const Facets = ({ of }: { readonly of: readonly Facet[] }) => {
  const shown = of.filter(({ values, chosen }) => values.length > 1 || chosen !== undefined)
  if (shown.length === 0) return null
  return (
    <div class="facets">
      {shown.map((facet) =>
        facet.values.length > mostChips ? (
          <FacetSelect key={facet.title} {...facet} />
        ) : (
          <FacetChips key={facet.title} {...facet} />
        ),
      )}
    </div>
  )
}

const FacetChips = ({ title, values, chosen, choose }: Facet) => (
  <fieldset class="chips">
    <legend>{title}</legend>
    {values.map(([value, count]) => (
      <button
        key={value}
        type="button"
        class="chip"
        aria-pressed={value === chosen}
        onClick={() => choose(value === chosen ? undefined : value)}
      >
        {value}
        {count !== undefined && <span class="count"> {count.toLocaleString('en')}</span>}
      </button>
    ))}
  </fieldset>
)

const FacetSelect = ({ title, values, chosen = '', choose }: Facet) => (
  <label class="chips">
    {title}{' '}
    <select value={chosen} onChange={({ currentTarget: { value } }) => choose(value || undefined)}>
      <option value="">all</option>
      {values.map(([value, count]) => (
        <option key={value} value={value}>
          {value}
          {count !== undefined && ` (${count.toLocaleString('en')})`}
        </option>
      ))}
    </select>
  </label>
)

/** The values of the rows, each with how often it occurs. */
export function valuesOf<Row>(
  rows: readonly Row[],
  of: (row: Row) => readonly string[],
): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const row of rows) for (const value of of(row)) counts.set(value, (counts.get(value) ?? 0) + 1)
  return counts
}
