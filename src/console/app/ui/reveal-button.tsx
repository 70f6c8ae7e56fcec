import type { Signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'

/** Shows and hides a secret. */
export function RevealButton({
  isShown,
  show = 'Reveal',
  hide = 'Hide',
  children,
}: {
  readonly isShown: Signal<boolean>
  readonly show?: string
  readonly hide?: string
  /** What is shown, for screen readers. */
  readonly children?: ComponentChildren
}) {
  return (
    <button
      type="button"
      class="quiet"
      aria-pressed={isShown.value}
      onClick={() => {
        isShown.value = !isShown.value
      }}
    >
      {isShown.value ? hide : show}
      {children !== undefined && <span class="hidden"> {children}</span>}
    </button>
  )
}
