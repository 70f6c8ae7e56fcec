import { toast } from './toasts.tsx'

/** Text to paste somewhere. */
export function Snippet({ label, text }: { readonly label: string; readonly text: string }) {
  return (
    <figure class="snippet">
      <figcaption>
        {label}
        <button
          type="button"
          class="quiet"
          onClick={async () => {
            try {
              await navigator.clipboard.writeText(text)
              toast('It is in the clipboard.')
            } catch {
              toast('The browser does not let this page write to the clipboard.', true)
            }
          }}
        >
          Copy
        </button>
      </figcaption>
      <pre>{text}</pre>
    </figure>
  )
}
