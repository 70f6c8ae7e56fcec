import { useSignal } from '@preact/signals'
import { useLocation } from 'preact-iso/router'
import { viewPath } from '../../data/base-path.ts'
import { call } from '../../data/call.ts'
import { tokens } from '../../data/tokens.ts'
import { ActionForm } from '../../ui/action.tsx'
import { TextField } from '../../ui/text-field.tsx'

/** A form that makes a box of one's own. */
export function NewBox() {
  const { route } = useLocation()
  const tag = useSignal('')
  if (tokens.value.catalog === undefined) return null
  return (
    <ActionForm
      action="Create"
      done="The box is made."
      run={async () => {
        const [username = '', name = ''] = tag.value.trim().split('/')
        if (username === '' || name === '') throw new Error('A box is named USER/NAME, as in acme/debian.')
        await call('catalog', '/api/v2/boxes', {
          method: 'POST',
          body: { box: { username, name, is_private: false } },
        })
        route(viewPath(`/catalog/${username}/${name}`))
      }}
    >
      <TextField label="New box" text={tag} placeholder="user/name" />
    </ActionForm>
  )
}
