import { describe, expect, it } from 'vitest'
import { packageExports } from '../../scripts/reference/exports.ts'
import { lifecycles } from '../../scripts/reference/lifecycles.ts'
import { diagramOf, lifecyclesPage } from '../../scripts/reference/lifecycles-page.ts'
import { barChart, type Figures } from '../../site/.vitepress/drawing/bar-chart.ts'
import { drawnFences } from '../../site/.vitepress/drawing/fences.ts'
import { stateDiagram } from '../../site/.vitepress/drawing/state-diagram.ts'
import { pages } from './programs.ts'
import { blocksOf } from './walk.ts'

const all = await lifecycles(packageExports())

const textsOf = (svg: string, kind: string) =>
  [...svg.matchAll(new RegExp(`<text class="${kind}"[^>]*>(.*?)</text>`, 'g'))].map(([, text = '']) => text)
const boxesOf = (svg: string) =>
  [...svg.matchAll(/<g class="state">(.*?)<\/g>/g)].map(([, group = '']) => {
    const [x, y, width, height] = [
      ...(/<rect x="([-\d.]+)" y="([-\d.]+)" width="([\d.]+)" height="([\d.]+)"/.exec(group) ?? []),
    ]
      .slice(1)
      .map(Number)
    return {
      state: /<text[^>]*>(.*?)</.exec(group)?.[1] ?? '',
      isFinal: group.split('<rect').length === 3,
      x: x ?? 0,
      y: y ?? 0,
      right: (x ?? 0) + (width ?? 0),
      bottom: (y ?? 0) + (height ?? 0),
    }
  })

describe('a drawn lifecycle', () => {
  it('is there for every table that the package exports', () => {
    const page = lifecyclesPage(all)
    expect(all.length).toBeGreaterThan(10)
    for (const { subpath, name, about } of all) {
      expect(page).toContain(`import { ${name} } from '${subpath}'`)
      expect(about, name).not.toBe('')
    }
  })

  it.each(all)(
    '$name of $subpath shows every state and every verb, and no box covers another',
    ({ table }) => {
      const svg = stateDiagram(diagramOf(table), 'title', 'id')
      const boxes = boxesOf(svg)
      expect(boxes.map(({ state }) => state).toSorted()).toEqual(Object.keys(table).toSorted())
      expect(
        boxes
          .filter(({ isFinal }) => isFinal)
          .map(({ state }) => state)
          .toSorted(),
      ).toEqual(
        Object.keys(table)
          .filter((state) => Object.keys(table[state] ?? {}).length === 0)
          .toSorted(),
      )
      const verbs = textsOf(svg, 'verb').flatMap((text) =>
        [...text.matchAll(/>([^<]+)</g)].map(([, verb]) => verb),
      )
      expect(verbs.toSorted()).toEqual(Object.values(table).flatMap(Object.keys).toSorted())
      for (const a of boxes)
        for (const b of boxes)
          if (a !== b)
            expect(
              a.right <= b.x || b.right <= a.x || a.bottom <= b.y || b.bottom <= a.y,
              `${a.state}, ${b.state}`,
            ).toBe(true)
    },
  )

  it('is read out as the list of its moves', () => {
    const svg = stateDiagram('stateDiagram-v2\n  [*] --> a\n  a --> b: go, run\n  b --> [*]', 'Going', 'id')
    expect(svg).toContain('<title id="id">Going</title><desc id="id-moves">a to b: go, run</desc>')
    expect(svg).toContain('aria-labelledby="id id-moves"')
  })

  it('has its states below each other, too, if a phone cannot show it', () => {
    const states = ['password', 'factor', 'waiting', 'challenged', 'groups', 'granted', 'refused']
    const moves = states.map((to) => `  start --> ${to}: ${to.slice(0, 4)}`)
    const wide = stateDiagram(['stateDiagram-v2', ...moves, '  groups --> [*]'].join('\n'), 'title', 'id')
    expect(wide).toContain('<div class="state-diagram wide"')
    expect(wide).toContain('<dl class="states"><dt>start</dt><dd>pass → <b>password</b></dd>')
    expect(wide).toContain('<dt class="end">groups</dt>')
    expect(stateDiagram('stateDiagram-v2\n  a --> b: go', 'title', 'id')).not.toContain('<dl')
  })

  it('refuses a line that is not an arrow', () => {
    expect(() => stateDiagram('stateDiagram-v2\n  note: x', 'title', 'id')).toThrow(
      'not an arrow of a state diagram: note: x',
    )
  })
})

const figures: Figures = {
  bench: 'bench/x.ts',
  node: 'v20',
  cpu: 'a <fast> one',
  day: '2026-01-01',
  cases: ['E1', 'E2'],
  series: [
    { name: 'plinth', ratios: [1, 2], median: 1.5 },
    { name: 'other', ratios: [3, null], median: 3 },
  ],
}
const widthsOf = (html: string) =>
  [...html.matchAll(/<rect [^>]*width="([\d.]+)%"/g)].map(([, width]) => Number(width))

describe('a chart', () => {
  it('draws medians in proportion, each with its name and value', () => {
    const html = barChart(figures, 'medians', 'Times', 'c')
    const [first, second] = widthsOf(html)
    expect((second ?? 0) / (first ?? 0)).toBeCloseTo(2)
    expect(html).toContain('<desc id="c-values">plinth 1.5; other 3</desc>')
    expect(html).not.toContain('logarithmic')
  })

  it('says that its scale is logarithmic where the figures are far apart', () => {
    const [plinth, other] = figures.series
    const html = barChart(
      { ...figures, series: [plinth, { ...other, median: 1500 }] as Figures['series'] },
      'medians',
      'Times',
      'c',
    )
    expect(html).toContain('Times. The scale is logarithmic.')
    const [first, second] = widthsOf(html)
    expect((second ?? 0) / (first ?? 0)).toBeLessThan(20)
    expect(html).toContain('1,500')
  })

  it('draws each case, without what a series does not have, and has all figures in a table', () => {
    const html = barChart(figures, 'cases', 'Times', 'c')
    expect(widthsOf(html)).toHaveLength(3)
    expect(html).toContain('<desc id="c-values">E1: plinth 1, other 3; E2: plinth 2</desc>')
    expect(html).toContain('<tr><th scope="row">other</th><td>3</td><td>–</td><td>3</td></tr>')
    expect(html).toContain('a &lt;fast> one')
  })
})

describe('the blocks of the pages', () => {
  const draw = drawnFences(() => 'as it stands')
  const drawn = pages
    .flatMap((page) => blocksOf(page).map((block) => ({ page, ...block })))
    .filter(({ language }) => language === 'mermaid' || language === 'chart')

  it('are drawn, each by its kind', () => {
    expect(drawn.length).toBeGreaterThan(2)
    const block = (info: string, content = '') => draw([{ type: 'fence', info, content }], 0)
    expect(block('ts')).toBe('as it stands')
    expect(block('mermaid', 'stateDiagram-v2\n  a --> b: go')).toContain('<svg')
    expect(block('chart cases bench-http.json', 'Rates')).toContain('secrets: kv2 read')
    expect(() => block('chart pie bench-http.json')).toThrow('unknown kind of chart: pie')
  })
})
