/** The number of bytes of request bodies that a service holds in memory. */
export interface BufferedBytes {
  /** Whether this many more fit. */
  readonly fits: (bytes: number) => boolean
  /** Adds bytes, or returns that they do not fit. */
  readonly reserve: (bytes: number) => boolean
  readonly release: (bytes: number) => void
  /** The current number. */
  readonly held: () => number
}

/** Two of the largest JSON bodies; a process with a heap of 256 MiB has space for them and their parsed values. */
export const defaultMaxBufferedBytes = 64 * 1024 * 1024

/** Creates a budget of bytes for the request bodies of a service, from their first byte until they are answered. */
export function bufferedBytes(most: number): BufferedBytes {
  let held = 0
  const fits = (bytes: number): boolean => held + bytes <= most
  return {
    fits,
    reserve: (bytes) => {
      if (!fits(bytes)) return false
      held += bytes
      return true
    },
    release: (bytes) => {
      held -= bytes
    },
    held: () => held,
  }
}
