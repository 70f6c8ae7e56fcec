import { useSignal } from '@preact/signals'
import type { ServiceName } from '../data/services.ts'
import { setToken, tokens } from '../data/tokens.ts'
import { ActionForm } from './action.tsx'
import { ProviderSignIn } from './provider-sign-in.tsx'
import { TextField } from './text-field.tsx'

/** The sign-in with a token, and the sign-out. */
export function TokenField({ service }: { readonly service: ServiceName }) {
  const typed = useSignal('')
  const isSet = tokens.value[service] !== undefined
  return (
    <ActionForm
      action="Sign in"
      run={async () => {
        setToken(service, typed.value.trim())
        typed.value = ''
      }}
      extra={
        isSet ? (
          <button type="button" class="quiet" onClick={() => setToken(service, '')}>
            Sign out
          </button>
        ) : (
          (service === 'catalog' || service === 'registry') && <ProviderSignIn />
        )
      }
    >
      <TextField
        label="Token"
        text={typed}
        isSecret
        placeholder={isSet ? 'enter another token' : undefined}
      />
    </ActionForm>
  )
}
