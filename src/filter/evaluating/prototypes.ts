import { isList } from '../kinds/kind-of.ts'
import { isDate, isMap } from '../kinds/realms.ts'

/**
 * Remembers which prototypes lack some names, so that a property of an instance is known to be its own without asking
 * for it: that took ten times as long as reading it. A prototype is looked at once; a name that is added to one later,
 * as no program does while it filters, would be taken for a field. (`Object.prototype` is looked at for every row.)
 */
export class Lacking {
  /** The last prototype known to lack them. */
  last: object | undefined
  readonly #names: readonly string[]
  readonly #known = new WeakMap<object, boolean>()

  constructor(names: readonly string[]) {
    this.#names = names
  }

  /** Whether an object's prototype lacks the names; false for objects that are never read by name. */
  learn(from: object, prototype: object | null): boolean {
    if (prototype === null) return true
    if (isList(from)) return false
    let lacks = this.#known.get(prototype)
    if (lacks === undefined) {
      const isRead = !(isMap(from) || isDate(from))
      lacks = isRead && !this.#names.some((name) => name in prototype)
      this.#known.set(prototype, lacks)
    }
    if (lacks) this.last = prototype
    return lacks
  }
}
