import { useEffect, useRef } from 'preact/hooks'

const keys: readonly (readonly [key: string, meaning: string])[] = [
  ['/', 'Go to the filter or search field'],
  ['↑ ↓', 'Move through rows'],
  ['Enter', 'Open the row'],
  ['Esc', 'Leave the field, close this'],
  ['?', 'Show this'],
]

const isTyping = (target: EventTarget | undefined): target is HTMLElement =>
  target instanceof HTMLElement &&
  (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName))

/** The keys that work in every view, and the dialog that lists them. */
export function Keyboard() {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return
      // The editor is in a shadow root, which events do not name as their target.
      const [target] = event.composedPath()
      if (isTyping(target)) {
        if (event.key === 'Escape') target.blur()
        return
      }
      if (event.key === '?') dialog.current?.showModal()
      else if (event.key === '/') {
        const field = document.querySelector<HTMLInputElement>('main [data-query]')
        if (!field) return
        event.preventDefault()
        field.focus()
      } else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
        if (moveRow(event.key === 'ArrowDown' ? 1 : -1)) event.preventDefault()
      }
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [])
  return (
    <dialog ref={dialog} class="keys" aria-labelledby="keys-title">
      <h2 id="keys-title">Keys</h2>
      <dl>
        {keys.map(([key, meaning]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
      <form method="dialog">
        <button type="submit">Close</button>
      </form>
    </dialog>
  )
}

/** Moves the focus to the link of the next row; to the first one in view if none has the focus. */
function moveRow(step: number): boolean {
  const links = [...document.querySelectorAll<HTMLElement>('main [data-row-link]')]
  if (links.length === 0) return false
  const at = links.indexOf(document.activeElement as HTMLElement)
  const inView = links.findIndex((link) => link.getBoundingClientRect().top >= 0)
  const next = links[Math.min(links.length - 1, Math.max(0, at < 0 ? inView : at + step))]
  // The list renders the rows about the focused one when it receives the focus, so it has to be in view by then.
  next?.scrollIntoView({ block: 'nearest' })
  next?.focus()
  return true
}
