import { useSignal } from '@preact/signals'
import { setToken, tokens } from '../data/tokens.ts'
import { Dialog } from './dialog.tsx'
import { TokenField } from './token-field.tsx'

/**
 * The sign-in to the scheduler, and the sign-out: its lists answer without a token, too, with what everyone may see, so
 * that no view has to ask for one.
 */
export function SchedulerSignIn() {
  const isOpen = useSignal(false)
  if (tokens.value.scheduler !== undefined)
    return (
      <button type="button" class="link" onClick={() => setToken('scheduler', '')}>
        Sign out
      </button>
    )
  return (
    <>
      <button
        type="button"
        class="link"
        onClick={() => {
          isOpen.value = true
        }}
      >
        Sign in
      </button>
      {isOpen.value && (
        <Dialog
          title="Sign in to the scheduler"
          close={() => {
            isOpen.value = false
          }}
        >
          <TokenField service="scheduler" />
        </Dialog>
      )}
    </>
  )
}
