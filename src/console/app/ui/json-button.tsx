import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { CopyButton } from './copy-button.tsx'

/** Shows an object as the API returns it, to read and to copy. */
export function JsonButton({ value, name }: { readonly value: unknown; readonly name: string }) {
  const isOpen = useSignal(false)
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    if (isOpen.value) dialog.current?.showModal()
  }, [isOpen.value])
  const text = isOpen.value ? JSON.stringify(value, null, 2) : ''
  return (
    <>
      <button
        type="button"
        class="quiet"
        onClick={() => {
          isOpen.value = true
        }}
      >
        JSON<span class="hidden"> of {name}</span>
      </button>
      {isOpen.value && (
        <dialog
          ref={dialog}
          class="wide"
          aria-label={`JSON of ${name}`}
          onClose={() => {
            isOpen.value = false
          }}
        >
          <div class="title">
            <h2>{name}</h2>
            <form method="dialog" class="actions">
              <CopyButton text={text} what="JSON" />
              <button type="submit">Close</button>
            </form>
          </div>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by the keyboard */}
          <pre tabIndex={0}>{text}</pre>
        </dialog>
      )}
    </>
  )
}
