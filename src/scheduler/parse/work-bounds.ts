import { type Constant, deepest, type Scope } from '../../hcl/structure/index.ts'

/** The most characters and items of a value with all that is in it: texts made of texts grow fast. */
export const largest = 1_000_000

/** The most characters and items of all values that a file makes and uses: they are evaluated in one step. */
const most = 10 * largest

/** The characters and items of a value with all that is in it, and its levels. */
interface Measure {
  readonly size: number
  readonly depth: number
}

/** Measures values, and counts the work of a file; both are bounded. */
export function workBounds(fail: Scope['fail']) {
  const measured = new WeakMap<object, Measure>()
  const measure = (value: Constant, place: number, level = 0): Measure => {
    if (typeof value === 'string') return { size: value.length, depth: 0 }
    if (typeof value !== 'object' || value === null) return { size: 1, depth: 0 }
    let found = measured.get(value)
    if (found === undefined && level <= deepest) {
      let [size, depth] = [1, 0]
      for (const [name, each] of Object.entries(value)) {
        const inner = measure(each, place, level + 1)
        size += name.length + inner.size
        depth = Math.max(depth, inner.depth)
      }
      found = { size, depth: depth + 1 }
      measured.set(value, found)
    }
    return found === undefined || found.depth > deepest
      ? fail(`the value is nested deeper than ${deepest} levels`, place)
      : found
  }
  const sizeOf = (value: Constant, place: number): number => measure(value, place).size
  let work = most
  const spend = (effort: number, place: number): void => {
    work -= effort
    if (work < 0)
      fail(`the file takes too much work: its values have more than ${most} characters together`, place)
  }
  return { sizeOf, spend }
}
