import { Graph, layout } from '@dagrejs/dagre'
import { edge, type Move, stackedStates } from './stacked-states.ts'
import { escaped } from './svg-text.ts'

/** Reads the moves of a Mermaid state diagram, of which it supports arrows only: `a --> b: label`. */
export const movesOf = (diagram: string): readonly Move[] =>
  diagram
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && line !== 'stateDiagram-v2')
    .map((line) => {
      const [, from, to, label = ''] = /^(\S+) --> ([^\s:]+)(?:: (.+))?$/.exec(line) ?? []
      if (from === undefined || to === undefined) throw new Error(`not an arrow of a state diagram: ${line}`)
      return { from, to, label }
    })

// The types of the layout library do not resolve in a module that imports by file name: these are the parts used here.
interface Point {
  readonly x: number
  readonly y: number
}
interface Box extends Point {
  readonly width: number
  readonly height: number
}
interface ArrowLabel extends Box {
  readonly lines: readonly string[]
  readonly points: readonly Point[]
}

/** A drawing shrinks to its column down to this scale, at which its texts are still legible; then it scrolls. */
const leastScale = 0.7
/** The column of a phone, in pixels. */
const narrowColumn = 340
const lineHeight = 16
const loopWidth = 28
const stateHeight = 34
const widthOf = (text: string, perCharacter: number) => text.length * perCharacter

/**
 * Draws a Mermaid state diagram as SVG that takes its colours from the page. States are boxes, moves are arrows with
 * their verbs; a filled dot is where it begins, and a state with two borders is where it ends. A diagram that a phone
 * cannot show has its states below each other there.
 */
export function stateDiagram(diagram: string, title: string, id: string): string {
  const moves = movesOf(diagram)
  const ends = new Set(moves.filter(({ to }) => to === edge).map(({ from }) => from))
  const drawn = moves.filter(({ to }) => to !== edge)
  const states = new Set(drawn.flatMap(({ from, to }) => [from, to]).concat([...ends]))

  const graph = new Graph().setGraph({
    rankdir: 'TB',
    nodesep: 36,
    ranksep: 34,
    edgesep: 18,
    marginx: 8,
    marginy: 8,
  })
  for (const state of states)
    graph.setNode(
      state,
      state === edge ? { width: 12, height: 12 } : { width: widthOf(state, 8.6) + 28, height: stateHeight },
    )
  for (const { from, to, label } of drawn) {
    // One verb a line: a long label would push the states apart. Two arrows between the same states are one.
    const before: ArrowLabel | undefined = graph.edge(from, to)
    const lines = [...(before?.lines ?? []), ...(label === '' ? [] : label.split(', '))]
    graph.setEdge(from, to, {
      lines,
      width: widestOf(lines) + (from === to ? loopWidth : 0),
      height: lines.length * lineHeight,
      labelpos: 'c',
    })
  }
  layout(graph)

  const { width, height }: Box = graph.graph()
  const leastWidth = width * leastScale
  const isWide = leastWidth > narrowColumn
  const said = drawn
    .filter(({ from }) => from !== edge)
    .map(({ from, to, label }) => `${from} to ${to}: ${label}`)
    .join('; ')
  const nodes = [...states].map((state) => {
    const { x, y, width: wide, height: high }: Box = graph.node(state)
    if (state === edge) return `<circle class="begin" cx="${round(x)}" cy="${round(y)}" r="6"/>`
    const box = (inset: number) =>
      `<rect x="${round(x - wide / 2 + inset)}" y="${round(y - high / 2 + inset)}" width="${round(wide - 2 * inset)}" height="${round(high - 2 * inset)}" rx="${8 - inset}"/>`
    return `<g class="state">${box(0)}${ends.has(state) ? box(3) : ''}<text x="${round(x)}" y="${round(y + 5)}">${escaped(state)}</text></g>`
  })
  const edges: readonly { readonly v: string; readonly w: string }[] = graph.edges()
  const arrows = edges.map(({ v, w }) => {
    const {
      lines,
      points,
      x = 0,
      y = 0,
    }: Partial<ArrowLabel> & Pick<ArrowLabel, 'lines' | 'points'> = graph.edge(v, w)
    const from: Box = graph.node(v)
    const right = from.x + from.width / 2
    return v === w
      ? arrow(id, {
          lines,
          path: loop(right, from.y),
          x: right + loopWidth + widestOf(lines) / 2 - 8,
          y: y - 12,
        })
      : arrow(id, { lines, path: curve(points), x, y })
  })
  return [
    `<div class="state-diagram${isWide ? ' wide' : ''}" tabindex="0" role="group" aria-label="${escaped(title)}">`,
    `<svg role="img" aria-labelledby="${id} ${id}-moves" viewBox="0 0 ${round(width)} ${round(height)}" width="${round(width)}" style="min-width:${round(leastWidth)}px">`,
    `<title id="${id}">${escaped(title)}</title><desc id="${id}-moves">${escaped(said)}</desc>`,
    `<defs><marker id="${id}-arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto"><path class="tip" d="M0 0L8 4L0 8z"/></marker></defs>`,
    ...arrows.map(({ line }) => line),
    ...nodes,
    ...arrows.map(({ label }) => label),
    '</svg>',
    isWide ? stackedStates(states, ends, moves) : '',
    '</div>',
  ].join('')
}

const widestOf = (lines: readonly string[]): number =>
  Math.max(0, ...lines.map((line) => widthOf(line, 7.2) + 10))

interface Arrow {
  readonly lines: readonly string[]
  readonly path: string
  /** Where its label is. */
  readonly x: number
  readonly y: number
}

function arrow(id: string, { lines, path, x, y }: Arrow): { readonly line: string; readonly label: string } {
  const first = y - ((lines.length - 1) * lineHeight) / 2 + 4
  const rows = lines.map(
    (text, at) => `<tspan x="${round(x)}" y="${round(first + at * lineHeight)}">${escaped(text)}</tspan>`,
  )
  return {
    line: `<path class="move" d="${path}" marker-end="url(#${id}-arrow)"/>`,
    label: lines.length === 0 ? '' : `<text class="verb">${rows.join('')}</text>`,
  }
}

/** The way from a state back to itself, around its upper right corner. */
const loop = (right: number, middle: number): string =>
  `M${round(right - 16)} ${round(middle - stateHeight / 2)}C${round(right - 10)} ${round(middle - 42)} ${round(right + 36)} ${round(middle - 26)} ${round(right)} ${round(middle - 6)}`

/** A smooth way through points: each but the ends bends it towards the middle of its neighbours. */
function curve(points: readonly Point[]): string {
  const [first, ...rest] = points
  if (first === undefined) return ''
  const parts = [`M${round(first.x)} ${round(first.y)}`]
  for (const [at, point] of rest.entries()) {
    const next = rest[at + 1]
    if (next === undefined) parts.push(`L${round(point.x)} ${round(point.y)}`)
    else {
      const isLast = at === rest.length - 2
      const to = isLast ? next : { x: (point.x + next.x) / 2, y: (point.y + next.y) / 2 }
      parts.push(`Q${round(point.x)} ${round(point.y)} ${round(to.x)} ${round(to.y)}`)
      if (isLast) break
    }
  }
  return parts.join('')
}

const round = (value: number): number => Math.round(value * 10) / 10
