/**
 * The symbol that marks what another copy of the package in this process recognises too: a bundled application beside an
 * external adapter, two versions, a reloaded module.
 */
export const brandOf = (name: string): symbol => Symbol.for(`plinth ${name}`)

/** Marks the instances of a class; its constructor calls it, because a call outside would keep an unused class. */
export function brand(prototype: object, mark: symbol): void {
  if (!Object.hasOwn(prototype, mark)) Object.defineProperty(prototype, mark, { value: true })
}

/** `instanceof` for a marked class: true for instances of any copy. A subclass has the usual test. */
export const isBranded = (asked: object, marked: object, mark: symbol, value: unknown): boolean =>
  asked === marked
    ? typeof value === 'object' && value !== null && mark in value
    : Function.prototype[Symbol.hasInstance].call(asked, value)
