import { escaped } from './svg-text.ts'

/** What a bench wrote: a value of each series for each case, and the median of the series. */
export interface Figures {
  readonly bench: string
  readonly node: string
  readonly cpu: string
  readonly day: string
  readonly cases: readonly string[]
  readonly series: readonly Series[]
}

export interface Series {
  readonly name: string
  /** In the order of the cases; `null` where it has none. */
  readonly ratios: readonly (number | null)[]
  readonly median: number
}

/** `medians` draws a bar for each series, `cases` those of all series for each case. */
export type ChartKind = 'medians' | 'cases'

interface Bar {
  readonly label: string
  readonly value: number
  /** Which of the colours it has. */
  readonly hue: number
}

/** Bars under one heading; without a heading, a single bar. */
interface Group {
  readonly heading: string
  readonly bars: readonly Bar[]
}

const barHeight = 14
const textHeight = 20
/** The longest bar leaves this share of the width to its value. */
const longest = 78
/** From here on the shorter bars could not be told apart on a linear scale. */
const wideSpread = 30

/**
 * Draws figures as horizontal bars, with every figure in a table below. Lengths are shares of the width and texts keep
 * their size, so that a phone shows them as legibly as a screen. Colours are those of the page.
 */
export function barChart(figures: Figures, kind: ChartKind, title: string, id: string): string {
  const groups = kind === 'medians' ? medians(figures) : byCase(figures)
  const values = groups.flatMap(({ bars }) => bars.map(({ value }) => value))
  const [least, most] = [Math.min(...values), Math.max(...values)]
  const isLogarithmic = most / least > wideSpread
  const floor = least / 2
  const share = (value: number) =>
    (isLogarithmic ? Math.log(value / floor) / Math.log(most / floor) : value / most) * longest

  let y = 0
  const parts: string[] = []
  for (const { heading, bars } of groups) {
    if (heading !== '') {
      parts.push(`<text class="heading" x="0" y="${y + 14}">${escaped(heading)}</text>`)
      y += textHeight
    }
    for (const { label, value, hue } of bars) {
      const width = `${share(value).toFixed(1)}%`
      // In a group the name of a bar stands behind its value; by itself, above the bar.
      if (heading === '') {
        parts.push(`<text x="0" y="${y + 14}">${escaped(label)}</text>`)
        y += textHeight
      }
      const said = heading === '' ? shown(value) : `${shown(value)} ${label}`
      parts.push(
        `<rect class="hue-${hue}" x="0" y="${y}" width="${width}" height="${barHeight}" rx="2"/>`,
        `<text class="value" x="${width}" dx="6" y="${y + 12}">${escaped(said)}</text>`,
      )
      y += heading === '' ? barHeight + 10 : barHeight + 6
    }
    if (heading !== '') y += 12
  }
  const scale = isLogarithmic ? ' The scale is logarithmic.' : ''
  const described = groups
    .map(({ heading, bars }) => {
      const summary = bars.map(({ label, value }) => `${label} ${shown(value)}`).join(', ')
      return heading === '' ? summary : `${heading}: ${summary}`
    })
    .join('; ')
  return [
    '<figure class="bar-chart">',
    `<figcaption>${escaped(title)}.${scale}</figcaption>`,
    `<svg role="img" aria-labelledby="${id} ${id}-values" width="100%" height="${y}">`,
    `<title id="${id}">${escaped(title)}</title><desc id="${id}-values">${escaped(described)}</desc>`,
    ...parts,
    '</svg>',
    `<details><summary>All figures</summary>${table(figures)}`,
    `<p>Measured by <code>${escaped(figures.bench)}</code> on ${escaped(figures.day)}, Node ${escaped(figures.node)}, ${escaped(figures.cpu)}.</p>`,
    '</details></figure>',
  ].join('')
}

/** Beside others the bars are in order; where all are ours, they stay in the order of the bench. */
function medians({ series }: Figures): readonly Group[] {
  const areAllOurs = !series.some(({ name }) => isOurs(name))
  const ordered = areAllOurs ? series : series.toSorted((a, b) => a.median - b.median)
  return ordered.map(({ name, median }) => ({
    heading: '',
    bars: [{ label: name, value: median, hue: areAllOurs || isOurs(name) ? 0 : 1 }],
  }))
}

const byCase = ({ cases, series }: Figures): readonly Group[] =>
  cases.map((heading, at) => ({
    heading,
    bars: series.flatMap(({ name, ratios }, index) => {
      const value = ratios[at] ?? null
      return value === null ? [] : [{ label: name, value, hue: isOurs(name) ? 0 : 1 + (index % 2) }]
    }),
  }))

const isOurs = (name: string): boolean => /^plinth/i.test(name)

const shown = (value: number): string => (value >= 100 ? Math.round(value).toLocaleString('en') : `${value}`)

function table({ cases, series }: Figures): string {
  const head = ['', ...cases, 'median'].map((text) => `<th scope="col">${escaped(text)}</th>`).join('')
  const rows = series.map(
    ({ name, ratios, median }) =>
      `<tr><th scope="row">${escaped(name)}</th>${[...ratios, median]
        .map((value) => `<td>${value === null ? '–' : shown(value)}</td>`)
        .join('')}</tr>`,
  )
  return `<table tabindex="0"><thead><tr>${head}</tr></thead><tbody>${rows.join('')}</tbody></table>`
}
