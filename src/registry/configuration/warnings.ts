/** So many are kept. */
const most = 100

/** The parse errors of a module, each with its file and position. */
export interface Warnings {
  /** Adds one; it is worded only if it is kept. */
  readonly add: (text: () => string) => void
  /** Those that are kept, and how many more there are. */
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
