import { useSignal } from '@preact/signals'
import { useId } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { viewPath } from '../../data/base-path.ts'
import { call } from '../../data/call.ts'
import { tokens } from '../../data/tokens.ts'
import { Action } from '../../ui/action.tsx'

/** A form that makes a box of one's own. */
export function NewBox() {
  const id = useId()
  const { route } = useLocation()
  const tag = useSignal('')
  if (tokens.value.catalog === undefined) return null
  return (
    <form class="token" onSubmit={(event) => event.preventDefault()}>
      <label for={id}>New box</label>
      <input
        id={id}
        placeholder="user/name"
        autocomplete="off"
        value={tag}
        onInput={(event) => {
          tag.value = event.currentTarget.value
        }}
      />
      <Action
        done="The box is made."
        run={async () => {
          const [username = '', name = ''] = tag.value.trim().split('/')
          await call('catalog', '/api/v2/boxes', {
            method: 'POST',
            body: { box: { username, name, is_private: false } },
          })
          route(viewPath(`/catalog/${username}/${name}`))
        }}
      >
        Create
      </Action>
    </form>
  )
}
