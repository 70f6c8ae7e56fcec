/** The maximum number of stored warnings. */
const most = 100

/** The parse errors of a module, each with its file and position. */
export interface Warnings {
  /** Adds one; its text is created only if it is stored. */
  readonly add: (text: () => string) => void
  /** The stored warnings, and the number of others. */
  readonly list: () => readonly string[]
}

export function warningList(): Warnings {
  const kept: string[] = []
  let more = 0
  return {
    add: (text) => {
      if (kept.length < most) kept.push(text())
      else more += 1
    },
    list: () => (more > 0 ? [...kept, `and ${more} more`] : kept),
  }
}
