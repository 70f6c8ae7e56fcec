import type { Session } from './session.ts'

/** The minimum interval of announcements, given and heard, in milliseconds: each is a query of its own. */
const everyMs = 10

/** Runs `act` at once, and again after a pause if it was asked for meanwhile. */
export function atMostEvery({ timers, isClosed }: Session, act: () => Promise<void>): () => void {
  let [isRunning, isAsked] = [false, false]
  const run = async () => {
    isRunning = true
    while (isAsked && !isClosed()) {
      isAsked = false
      await act()
      await new Promise<void>((resolve) => void timers.after(everyMs, resolve))
    }
    isRunning = false
  }
  return () => {
    isAsked = true
    if (!isRunning) void run()
  }
}
