import { useSignal } from '@preact/signals'
import { useId } from 'preact/hooks'
import type { ServiceName } from '../data/services.ts'
import { setToken, tokens } from '../data/tokens.ts'

/** Where a token is typed in. It is kept in this page's memory only. */
export function TokenField({ service }: { readonly service: ServiceName }) {
  const id = useId()
  const typed = useSignal('')
  const isSet = tokens.value[service] !== undefined
  return (
    <form
      class="token"
      autocomplete="off"
      onSubmit={(event) => {
        event.preventDefault()
        setToken(service, typed.value.trim())
        typed.value = ''
      }}
    >
      <label for={id}>Token</label>
      <input
        id={id}
        type="password"
        autocomplete="off"
        spellcheck={false}
        placeholder={isSet ? 'set; type another one' : ''}
        value={typed}
        onInput={(event) => {
          typed.value = event.currentTarget.value
        }}
      />
      <button type="submit">Use</button>
      {isSet && (
        <button type="button" class="quiet" onClick={() => setToken(service, '')}>
          Forget
        </button>
      )}
    </form>
  )
}
