import { type Signal, useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { toast } from './toasts.tsx'

/** Does something at a service: a success may be told, a refusal is always shown. */
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

/** A button that does something at a service: disabled while it is under way. */
export function Action({
  children,
  done,
  confirm,
  kind,
  run,
}: {
  readonly children: ComponentChildren
  /** What is said when it succeeded. */
  readonly done?: string
  /** What to ask first. */
  readonly confirm?: string
  readonly kind?: 'quiet' | 'danger'
  readonly run: () => Promise<unknown>
}) {
  const isBusy = useSignal(false)
  return (
    <button
      type="button"
      class={kind}
      disabled={isBusy.value}
      onClick={() => {
        if (confirm === undefined || window.confirm(confirm)) void perform(isBusy, run, done)
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
  /** What the button says. */
  readonly action: string
  /** What is said when it succeeded. */
  readonly done?: string
  readonly run: () => Promise<unknown>
  /** Fields stand in one line where there is space. */
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
