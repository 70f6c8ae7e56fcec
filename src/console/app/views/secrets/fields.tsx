import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { toast } from '../../ui/toasts.tsx'

/** How long a revealed value stays visible. */
const revealedMs = 30_000

export const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

/** The fields of a secret, hidden until they are revealed, and only for a while. */
export function Fields({ data }: { readonly data: Readonly<Record<string, unknown>> }) {
  return (
    <ul class="plain">
      {Object.entries(data).map(([name, value]) => (
        <Field key={name} name={name} text={textOf(value)} />
      ))}
    </ul>
  )
}

function Field({ name, text }: { readonly name: string; readonly text: string }) {
  const isShown = useSignal(false)
  useEffect(() => {
    if (!isShown.value) return
    const timer = setTimeout(() => {
      isShown.value = false
    }, revealedMs)
    return () => clearTimeout(timer)
  }, [isShown.value])
  return (
    <li class="item field">
      <code>{name}</code>
      <span class="secret">{isShown.value ? text : '••••••••'}</span>
      <span class="actions">
        <button
          type="button"
          class="quiet"
          aria-pressed={isShown.value}
          onClick={() => {
            isShown.value = !isShown.value
          }}
        >
          {isShown.value ? 'Hide' : 'Reveal'}
          <span class="hidden"> {name}</span>
        </button>
        <button
          type="button"
          class="quiet"
          onClick={async () => {
            try {
              await navigator.clipboard.writeText(text)
              toast(`${name} is in the clipboard.`)
            } catch {
              toast('The browser does not let this page write to the clipboard.', true)
            }
          }}
        >
          Copy<span class="hidden"> {name}</span>
        </button>
      </span>
    </li>
  )
}
