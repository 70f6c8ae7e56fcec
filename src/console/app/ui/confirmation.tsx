import { signal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'

/** A question before an action that cannot be undone, or that interrupts something. */
export interface Question {
  /** The action and its object: `Stop web?` */
  readonly title: string
  /** What will happen. */
  readonly text: string
  /** The verb of the button. */
  readonly action: string
}

const asked = signal<{ readonly question: Question; readonly answer: (yes: boolean) => void } | undefined>(
  undefined,
)

/** Asks in a dialog; resolves to whether the user confirmed. */
export const confirmed = (question: Question): Promise<boolean> =>
  new Promise((answer) => {
    asked.value = { question, answer }
  })

/** The dialog of {@link confirmed}. The browser returns the focus to the button that opened it. */
export function Confirmation() {
  const dialog = useRef<HTMLDialogElement>(null)
  const now = asked.value
  useEffect(() => {
    if (now) dialog.current?.showModal()
  }, [now])
  if (!now) return null
  const { title, text, action } = now.question
  return (
    <dialog
      ref={dialog}
      aria-labelledby="question"
      aria-describedby="consequence"
      onClose={() => {
        now.answer(dialog.current?.returnValue === 'yes')
        asked.value = undefined
      }}
    >
      <h2 id="question">{title}</h2>
      <p id="consequence">{text}</p>
      <form method="dialog" class="actions">
        <button type="submit" class="quiet" value="no">
          Cancel
        </button>
        <button type="submit" class="danger" value="yes">
          {action}
        </button>
      </form>
    </dialog>
  )
}
