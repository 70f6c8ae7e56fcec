import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import { viewPath } from '../../data/base-path.ts'
import { View } from '../../ui/view.tsx'
import { finishOidc } from './oidc.ts'

/** Where an identity provider sends the browser back to. */
export default function OidcCallback() {
  const { query, route } = useLocation()
  const problem = useSignal('')
  useEffect(() => {
    finishOidc(query).then(
      () => route(viewPath('/secrets'), true),
      (error: unknown) => {
        problem.value = error instanceof Error ? error.message : String(error)
      },
    )
  }, [])
  return (
    <View title="Signing in">
      {problem.value === '' ? (
        <p class="muted">Signing in …</p>
      ) : (
        <p class="problem" role="alert">
          <strong>The sign-in failed.</strong> {problem.value}{' '}
          <a href={viewPath('/secrets')}>Sign in again</a>
        </p>
      )}
    </View>
  )
}
