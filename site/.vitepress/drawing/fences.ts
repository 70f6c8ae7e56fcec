import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { barChart, type ChartKind, type Figures } from './bar-chart.ts'
import { stateDiagram } from './state-diagram.ts'

/** A token of Markdown, as far as it is read here. */
interface Token {
  readonly type: string
  readonly info: string
  readonly content: string
}

type Rule<Rest extends readonly unknown[]> = (tokens: readonly Token[], at: number, ...rest: Rest) => string

/** Draws the blocks `mermaid` and `chart` of a page while the site is built; other blocks stay as they are. */
export const drawnFences =
  <Rest extends readonly unknown[]>(others: Rule<Rest>): Rule<Rest> =>
  (tokens, at, ...rest) => {
    const { info, content } = tokens[at] as Token
    const [language, kind, file = ''] = info.trim().split(/\s+/)
    if (language === 'mermaid') return stateDiagram(content, headingBefore(tokens, at), `drawing-${at}`)
    if (language !== 'chart') return others(tokens, at, ...rest)
    if (kind !== 'medians' && kind !== 'cases') throw new Error(`unknown kind of chart: ${kind}`)
    return barChart(figuresOf(file), kind satisfies ChartKind, content.trim(), `drawing-${at}`)
  }

const data = join(import.meta.dirname, '../../data')

const figuresOf = (file: string): Figures => JSON.parse(readFileSync(join(data, file), 'utf8'))

function headingBefore(tokens: readonly Token[], at: number): string {
  const opening = tokens.findLastIndex(({ type }, index) => index < at && type === 'heading_open')
  return (tokens[opening + 1]?.content ?? '').replace(/\s*\{#.*\}$/, '').replaceAll('`', '')
}
