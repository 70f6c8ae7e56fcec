import { useSignal } from '@preact/signals'
import type { ServiceName } from '../data/services.ts'
import { setToken, tokens } from '../data/tokens.ts'
import { ActionForm } from './action.tsx'
import { TextField } from './text-field.tsx'

/** The input of a token, which is stored in this page's memory only. */
export function TokenField({ service }: { readonly service: ServiceName }) {
  const typed = useSignal('')
  const isSet = tokens.value[service] !== undefined
  return (
    <ActionForm
      action="Use"
      run={async () => {
        setToken(service, typed.value.trim())
        typed.value = ''
      }}
      extra={
        isSet && (
          <button type="button" class="quiet" onClick={() => setToken(service, '')}>
            Forget
          </button>
        )
      }
    >
      <TextField
        label="Token"
        text={typed}
        isSecret
        placeholder={isSet ? 'set; enter another one' : undefined}
      />
    </ActionForm>
  )
}
