const parts = [
  ['Running', 'good'],
  ['Starting', 'busy'],
  ['Queued', 'busy'],
  ['Complete', 'idle'],
  ['Failed', 'bad'],
  ['Lost', 'bad'],
  ['Unknown', 'bad'],
] as const

export type GroupCounts = Readonly<Record<string, number>>

/** How many allocations some groups have. */
export const allocationsIn = (groups: readonly GroupCounts[]): number =>
  parts.reduce((sum, [name]) => sum + groups.reduce((of, group) => of + (group[name] ?? 0), 0), 0)

/** How the allocations of a job's groups are doing, as one bar with its counts. */
export function SummaryBar({ groups }: { readonly groups: readonly GroupCounts[] }) {
  const counts = parts
    .map(([name, meaning]) => ({
      name,
      meaning,
      count: groups.reduce((sum, group) => sum + (group[name] ?? 0), 0),
    }))
    .filter(({ count }) => count > 0)
  const total = counts.reduce((sum, { count }) => sum + count, 0)
  const text =
    counts.map(({ name, count }) => `${count} ${name.toLowerCase()}`).join(', ') || 'no allocations'
  return (
    <span class="counted">
      <span class="summary" aria-hidden="true">
        {counts.map(({ name, meaning, count }) => (
          <span key={name} class={meaning} style={{ width: `${(100 * count) / total}%` }} />
        ))}
      </span>
      {text}
    </span>
  )
}
