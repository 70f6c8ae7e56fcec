import { toast } from './toasts.tsx'

/** How long a secret stays in the clipboard. */
const secretMs = 30_000

/** A button that copies text. A secret is removed from the clipboard later, unless this page copied something else. */
export function CopyButton({
  text,
  what,
  isSecret = false,
}: {
  readonly text: string
  /** Named for screen readers, and when it was copied. */
  readonly what?: string
  readonly isSecret?: boolean
}) {
  return (
    <button
      type="button"
      class="quiet"
      onClick={async () => {
        try {
          await navigator.clipboard.writeText(text)
          toast(
            `${what ?? 'It'} was copied to the clipboard${isSecret ? ` for ${secretMs / 1000} seconds` : ''}.`,
          )
          forget?.abort()
          if (isSecret) clearLater()
        } catch {
          toast('The browser does not allow this page to write to the clipboard.', true)
        }
      }}
    >
      Copy{what !== undefined && <span class="hidden"> {what}</span>}
    </button>
  )
}

let forget: AbortController | undefined

/** Clears the clipboard after a while. A page without the focus may not: it does so when it has it again. */
function clearLater(): void {
  forget = new AbortController()
  const { signal } = forget
  const stop = () => forget?.abort()
  const clear = () => {
    if (signal.aborted) return
    if (!document.hasFocus()) return addEventListener('focus', clear, { signal, once: true })
    stop()
    void navigator.clipboard.writeText('').catch(() => {})
  }
  document.addEventListener('copy', stop, { signal })
  setTimeout(clear, secretMs)
}
