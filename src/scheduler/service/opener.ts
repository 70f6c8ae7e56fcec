/** Something that its first caller opens. */
export interface Opener<Opened> {
  /** What is open; `undefined` before that. */
  readonly current: () => Opened | undefined
  /** The same, or a promise of it while it is being opened. What could not be opened is tried again by the next caller. */
  readonly open: () => Opened | Promise<Opened>
  /** Closes what is open; the next caller opens it anew. */
  readonly letGo: () => Promise<void>
}

/** Opens something once, however many ask for it meanwhile. */
export function opener<Opened extends { readonly close: () => Promise<void> }>(
  openNow: () => Promise<Opened>,
): Opener<Opened> {
  let opening: Promise<Opened> | undefined
  let current: Opened | undefined
  const begin = async () => {
    try {
      const opened = await openNow()
      current = opened
      return opened
    } catch (error) {
      opening = undefined
      throw error
    }
  }
  return {
    current: () => current,
    open: () => {
      if (current !== undefined) return current
      opening ??= begin()
      return opening
    },
    letGo: async () => {
      const opened = await opening?.catch(() => undefined)
      opening = undefined
      current = undefined
      await opened?.close()
    },
  }
}
