// Every filter of this table is alive in one process and used in turn, on rows of several shapes.
import { type BenchRow, benchRows, cases } from '../../filter-cases.ts'
import { shapes } from '../../filter-shapes.ts'
import type { Row } from '../row.ts'
import type { Tree } from '../tree.ts'

type Evaluator = 'codegen' | 'closures'
type Way = 'test' | 'select'
type Loop = (rows: readonly BenchRow[]) => number

const base = benchRows(1000)
const textOf = (name: string) => cases[name]?.[0] ?? ''
const comparisons = [
  textOf('equal'),
  'Version == 3 and Stable == true',
  'Priority >= 20 and Priority <= 60',
  textOf('lists'),
  textOf('maps'),
  textOf('needle'),
]
const patterns = [textOf('pattern'), textOf('six'), 'Name matches "api"']
const lists = [textOf('path'), textOf('path =='), textOf('any')]
const newer = [textOf('two'), textOf('order'), textOf('start')]

/** A loop of its own for each filter, so that none pays for the others' calls. */
const loopOver = (test: (row: BenchRow) => boolean): Loop =>
  new Function(
    'test',
    'return (rows) => { let n = 0; for (let i = 0; i < rows.length; i += 1) if (test(rows[i])) n += 1; return n }',
  )(test)

const loopOf = async ({ load }: Tree, text: string, evaluator: Evaluator, way: Way): Promise<Loop> => {
  const filter = (await load('./filter')).compile<BenchRow>(text, { evaluator })
  return way === 'test' ? loopOver(filter.test) : (rows) => filter.select(rows).length
}

const rowOf = (
  what: string,
  texts: readonly string[],
  shape: string,
  evaluator: Evaluator,
  way: Way,
): Row => {
  const times = evaluator === 'codegen' ? 40 : 20
  return {
    name: `filter: ${way}, ${evaluator === 'codegen' ? '' : 'closures, '}${what}, ${shape}`,
    clock: 'cpu',
    operations: base.length * texts.length * times,
    prepare: async (tree) => {
      const loops = await Promise.all(texts.map((text) => loopOf(tree, text, evaluator, way)))
      const make = shapes[shape] ?? ((row: BenchRow) => row)
      const rows = base.map(make)
      return () => {
        let found = 0
        for (let time = 0; time < times; time += 1) for (const loop of loops) found += loop(rows)
        return found
      }
    },
  }
}

const compiling: Row = {
  name: 'filter: compile, seven comparisons',
  clock: 'cpu',
  operations: 1000,
  prepare: async ({ load }) => {
    const { compile } = await load('./filter')
    let n = 0
    return () => {
      for (const end = n + 1000; n < end; n += 1)
        compile(
          `Status == "s${n}" and Priority > ${n % 100} and (Name == "a" or Name != "b") and "x" in Tags and Meta.team == "t" and Version < ${n % 9}`,
        )
    }
  },
}

export const filter: readonly Row[] = [
  ...Object.keys(shapes).flatMap((shape) => [
    rowOf('comparisons', comparisons, shape, 'codegen', 'test'),
    rowOf('list paths', lists, shape, 'codegen', 'test'),
  ]),
  rowOf('comparisons', comparisons, 'plain', 'codegen', 'select'),
  rowOf('comparisons', comparisons, 'class', 'codegen', 'select'),
  rowOf('comparisons', comparisons, 'plain', 'closures', 'test'),
  rowOf('comparisons', comparisons, 'class', 'closures', 'test'),
  rowOf('list paths', lists, 'plain', 'closures', 'test'),
  rowOf('patterns', patterns, 'plain', 'codegen', 'test'),
  rowOf('newer operators', newer, 'plain', 'codegen', 'test'),
  compiling,
]
