/** One value over time; `undefined` while it is unknown. */
export interface Point {
  readonly at: number
  readonly value: number | undefined
}

const width = 600
const height = 90

/** A value over time, as a line from the oldest point to the newest. */
export function LineChart({
  title,
  points,
  textOf,
}: {
  readonly title: string
  readonly points: readonly Point[]
  readonly textOf: (value: number) => string
}) {
  const known = points.flatMap(({ value }) => (value === undefined ? [] : [value]))
  const newest = known.at(-1)
  const most = Math.max(...known, 0)
  const [first, last] = [points[0]?.at ?? 0, points.at(-1)?.at ?? 0]
  const x = (at: number) => (last === first ? width : (width * (at - first)) / (last - first))
  const y = (value: number) => height - 2 - (most === 0 ? 0 : ((height - 4) * value) / most)
  const about =
    newest === undefined ? `${title}: not known` : `${title}: ${textOf(newest)} now, ${textOf(most)} at most`
  return (
    <figure class="chart">
      <figcaption>{about}</figcaption>
      <svg viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" role="img" aria-label={about}>
        {linesOf(points).map((line) => (
          <polyline
            key={line[0]?.at}
            points={line.map(({ at, value }) => `${x(at).toFixed(1)},${y(value).toFixed(1)}`).join(' ')}
          />
        ))}
      </svg>
    </figure>
  )
}

/** The runs of points with known values. */
function linesOf(points: readonly Point[]): readonly (readonly { at: number; value: number }[])[] {
  const lines: { at: number; value: number }[][] = [[]]
  for (const { at, value } of points)
    if (value === undefined) lines.push([])
    else lines.at(-1)?.push({ at, value })
  return lines.filter((line) => line.length > 0)
}
