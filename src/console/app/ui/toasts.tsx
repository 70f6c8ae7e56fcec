import { signal } from '@preact/signals'

interface Toast {
  readonly id: number
  readonly text: string
  readonly isFailure: boolean
}

const toasts = signal<readonly Toast[]>([])
let last = 0

/** Shows a message for some seconds; screen readers hear it. */
export function toast(text: string, isFailure = false): void {
  last += 1
  const shown = { id: last, text, isFailure }
  toasts.value = [...toasts.value.slice(-3), shown]
  setTimeout(
    () => {
      toasts.value = toasts.value.filter((each) => each !== shown)
    },
    isFailure ? 10_000 : 4_000,
  )
}

export function Toasts() {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.value.map(({ id, text, isFailure }) => (
        <p key={id} class={isFailure ? 'toast failure' : 'toast'}>
          {text}
        </p>
      ))}
    </div>
  )
}
