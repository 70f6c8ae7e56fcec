import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import { viewPath } from '../data/base-path.ts'
import { finishSignIn } from '../data/provider-sign-in.ts'
import { View } from '../ui/view.tsx'

/** Where the identity provider sends the browser back to. */
export default function SignIn() {
  const { route } = useLocation()
  const problem = useSignal<string | undefined>(undefined)
  useEffect(() => {
    const query = new URLSearchParams(location.search)
    // A code is of no use twice, and belongs into no history.
    history.replaceState(null, '', location.pathname)
    finishSignIn(query).then(
      (back) => route(back, true),
      (error: unknown) => {
        problem.value = error instanceof Error ? error.message : String(error)
      },
    )
  }, [])
  return (
    <View title="Sign-in">
      {problem.value === undefined ? (
        <p role="status">Signing in …</p>
      ) : (
        <p class="problem" role="alert">
          {problem.value} <a href={viewPath('/registry')}>Back to the modules.</a>
        </p>
      )}
    </View>
  )
}
