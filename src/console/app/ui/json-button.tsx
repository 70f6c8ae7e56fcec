import { useSignal } from '@preact/signals'
import { CopyButton } from './copy-button.tsx'
import { Dialog } from './dialog.tsx'

/** Shows an object as the API returns it, to read and to copy. */
export function JsonButton({ value, name }: { readonly value: unknown; readonly name: string }) {
  const isOpen = useSignal(false)
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
        <Dialog
          title={`JSON of ${name}`}
          actions={<CopyButton text={text} what="JSON" />}
          close={() => {
            isOpen.value = false
          }}
        >
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by the keyboard */}
          <pre tabIndex={0}>{text}</pre>
        </Dialog>
      )}
    </>
  )
}
