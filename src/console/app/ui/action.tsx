import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { toast } from './toasts.tsx'

/** A button that does something at a service: disabled while it is under way; a refusal is shown. */
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
  const onClick = async () => {
    if (confirm !== undefined && !window.confirm(confirm)) return
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
  return (
    <button type="button" class={kind} disabled={isBusy.value} onClick={onClick}>
      {children}
    </button>
  )
}
