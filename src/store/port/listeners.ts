import { eventEmitter, type Reporter } from '../../kernel/event-emitter.ts'

/** Functions that are called with events, in the order they were added; one that fails does not affect the others. */
export interface Listeners<Args extends readonly unknown[]> {
  readonly size: number
  /** The returned function removes it again; adding one function twice makes two listeners. */
  add(fn: (...args: Args) => void): () => void
  tell(...args: Args): void
  clear(): void
}

/** @param report - receives the errors of listeners; the event has happened either way */
export function listeners<Args extends readonly unknown[]>(report?: Reporter): Listeners<Args> {
  const all = new Set<{ readonly emit: (...args: Args) => void }>()
  return {
    get size() {
      return all.size
    },
    add: (fn) => {
      const listener = { emit: eventEmitter(fn, report) }
      all.add(listener)
      return () => void all.delete(listener)
    },
    tell: (...args) => {
      for (const { emit } of all) emit(...args)
    },
    clear: () => all.clear(),
  }
}
