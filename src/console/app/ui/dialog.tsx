import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'

/** A dialog that is open while it is rendered. The browser returns the focus to what opened it. */
export function Dialog({
  title,
  actions,
  close,
  children,
}: {
  readonly title: string
  /** Beside the button that closes it. */
  readonly actions?: ComponentChildren
  readonly close: () => void
  readonly children: ComponentChildren
}) {
  const id = useId()
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => dialog.current?.showModal(), [])
  return (
    <dialog ref={dialog} class="wide" aria-labelledby={id} onClose={close}>
      <div class="title">
        <h2 id={id}>{title}</h2>
        <span class="actions">
          {actions}
          <button type="button" class="quiet" onClick={() => dialog.current?.close()}>
            Close
          </button>
        </span>
      </div>
      {children}
    </dialog>
  )
}
