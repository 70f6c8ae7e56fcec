import { CopyButton } from './copy-button.tsx'

/** Text to paste somewhere. */
export function Snippet({ label, text }: { readonly label: string; readonly text: string }) {
  return (
    <figure class="snippet">
      <figcaption>
        {label}
        <CopyButton text={text} />
      </figcaption>
      <pre>{text}</pre>
    </figure>
  )
}
