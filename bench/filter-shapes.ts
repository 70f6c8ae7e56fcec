// Rows of four shapes for the filter benchmark: plain objects, instances of a class, instances of a class that extends
// another, and plain objects of sixty shapes.
import type { BenchRow } from './filter-cases.ts'

class Base {
  describe(): string {
    return 'a row'
  }
}

const classOf = (parent: new () => object) =>
  class extends parent {
    constructor(row?: BenchRow) {
      super()
      Object.assign(this, row)
    }
    get label(): string {
      return String(Reflect.get(this, 'Name'))
    }
  }

const Plain = classOf(class {})
const Derived = classOf(Base)

/** Each shape has the same fields; the sixty differ in what stands before them. */
export const shapes: Readonly<Record<string, (row: BenchRow, at: number) => BenchRow>> = {
  plain: (row) => ({ ...row }),
  class: (row) => new Plain(row) as unknown as BenchRow,
  inherited: (row) => new Derived(row) as unknown as BenchRow,
  '60 shapes': (row, at) => ({ [`extra${at % 60}`]: at, ...row }),
}
