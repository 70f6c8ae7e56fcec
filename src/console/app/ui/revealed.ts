import { type Signal, useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'

/** How long a revealed value stays visible. */
const revealedMs = 30_000

/** Whether a secret is shown: set, it becomes false again after a while. */
export function useRevealed(): Signal<boolean> {
  const isShown = useSignal(false)
  useEffect(() => {
    if (!isShown.value) return
    const timer = setTimeout(() => {
      isShown.value = false
    }, revealedMs)
    return () => clearTimeout(timer)
  }, [isShown.value])
  return isShown
}
