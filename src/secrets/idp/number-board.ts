/**
 * The numbers that users of logins in progress have to choose. In memory only: a number is useful only while the
 * request that asked for it is waiting.
 */
export interface NumberBoard {
  /** Adds a login. */
  readonly open: (key: string) => {
    /**
     * Sets the number of a login; false if another login shows a number under the same nonce, which must not be
     * mistaken for this one's.
     */
    readonly show: (answer: number, now: number) => boolean
    readonly close: () => void
  }
  readonly answerOf: (key: string, now: number) => number | undefined
}

const longestMs = 5 * 60_000

/** Creates an empty board. */
export function numberBoard(): NumberBoard {
  const entries = new Map<string, { readonly answer: number; readonly until: number }>()
  return {
    open: (key) => {
      let own: { readonly answer: number; readonly until: number } | undefined
      return {
        show: (answer, now) => {
          const shown = entries.get(key)
          if (shown && shown !== own && now < shown.until) return false
          own = { answer, until: own?.until ?? now + longestMs }
          entries.set(key, own)
          return true
        },
        close: () => {
          if (own && entries.get(key) === own) entries.delete(key)
        },
      }
    },
    answerOf: (key, now) => {
      const entry = entries.get(key)
      return entry && now < entry.until ? entry.answer : undefined
    },
  }
}
