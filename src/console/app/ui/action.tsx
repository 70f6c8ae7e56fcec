import { type Signal, useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { confirmed, type Question } from './confirmation.tsx'
import { toast } from './toasts.tsx'

/** Runs an action of a service: a success can be shown, a refusal always is. */
async function perform(isBusy: Signal<boolean>, run: () => Promise<unknown>, done?: string): Promise<void> {
  if (isBusy.value) return
  isBusy.value = true
  try {
    await run()
    if (done !== undefined) toast(done)
  } catch (error) {
    toast(error instanceof Error ? error.message : String(error), true)
  } finally {
    isBusy.value = false
  }
}

/** A button that runs an action: disabled while it is in progress. */
export function Action({
  children,
  done,
  confirm,
  kind,
  run,
}: {
  readonly children: ComponentChildren
  /** The message after a success. */
  readonly done?: string
  /** A question to confirm first. */
  readonly confirm?: Question
  readonly kind?: 'quiet' | 'danger'
  readonly run: () => Promise<unknown>
}) {
  const isBusy = useSignal(false)
  return (
    <button
      type="button"
      class={kind}
      disabled={isBusy.value}
      onClick={async () => {
        if (confirm === undefined || (await confirmed(confirm))) void perform(isBusy, run, done)
      }}
    >
      {children}
    </button>
  )
}

/** Fields and the button that sends them, also by Enter. */
export function ActionForm({
  action,
  done,
  run,
  isLine = true,
  extra,
  children,
}: {
  /** The label of the button. */
  readonly action: string
  /** The message after a success. */
  readonly done?: string
  readonly run: () => Promise<unknown>
  /** Puts the fields in one line if there is space. */
  readonly isLine?: boolean
  /** More buttons. */
  readonly extra?: ComponentChildren
  readonly children: ComponentChildren
}) {
  const isBusy = useSignal(false)
  return (
    <form
      class={isLine ? 'line' : 'item stack'}
      autocomplete="off"
      onSubmit={(event) => {
        event.preventDefault()
        void perform(isBusy, run, done)
      }}
    >
      {children}
      <span class="actions">
        <button type="submit" disabled={isBusy.value}>
          {action}
        </button>
        {extra}
      </span>
    </form>
  )
}
