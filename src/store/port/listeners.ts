/** Functions that are called with events, in the order they were added; one that throws does not affect the others. */
export interface Listeners<Args extends readonly unknown[]> {
  readonly size: number
  /** The returned function removes it again; adding one function twice makes two listeners. */
  add(fn: (...args: Args) => void): () => void
  tell(...args: Args): void
  clear(): void
}

export function listeners<Args extends readonly unknown[]>(): Listeners<Args> {
  const all = new Set<{ readonly fn: (...args: Args) => void }>()
  return {
    get size() {
      return all.size
    },
    add: (fn) => {
      const listener = { fn }
      all.add(listener)
      return () => void all.delete(listener)
    },
    tell: (...args) => {
      for (const { fn } of all) {
        try {
          fn(...args)
        } catch (error) {
          // The event has happened: the listener's bug must reach the host, not the emitter.
          queueMicrotask(() => {
            throw error
          })
        }
      }
    },
    clear: () => all.clear(),
  }
}
