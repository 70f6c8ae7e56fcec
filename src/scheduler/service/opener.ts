/** A resource that the first caller opens. */
export interface Opener<Opened> {
  /** The open resource; `undefined` before. */
  readonly current: () => Opened | undefined
  /** The resource, or a promise of it while it is being opened. After a failure the next caller tries again. */
  readonly open: () => Opened | Promise<Opened>
  /** Closes the resource; the next caller opens it again. Resolves to whether it was open. */
  readonly release: () => Promise<boolean>
}

/** Opens a resource once, for any number of concurrent callers. */
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
    release: async () => {
      const opened = await opening?.catch(() => undefined)
      opening = undefined
      current = undefined
      await opened?.close()
      return opened !== undefined
    },
  }
}
