import { useSignal } from '@preact/signals'
import { useLocation } from 'preact-iso/router'
import { viewPath } from '../../data/base-path.ts'
import { call } from '../../data/call.ts'
import { ActionForm } from '../../ui/action.tsx'
import { Choice } from '../../ui/choice.tsx'
import { TextField } from '../../ui/text-field.tsx'

const visibilities = ['public', 'private'] as const

/** A form that creates a box of the user. */
export function NewBox() {
  const { route } = useLocation()
  const tag = useSignal('')
  const visibility = useSignal<(typeof visibilities)[number]>('public')
  return (
    <ActionForm
      action="Create"
      done="The box was created."
      run={async () => {
        const [username = '', name = ''] = tag.value.trim().split('/')
        if (username === '' || name === '') throw new Error('Name the box USER/NAME, such as acme/debian.')
        await call('catalog', '/api/v2/boxes', {
          method: 'POST',
          body: { box: { username, name, is_private: visibility.value === 'private' } },
        })
        route(viewPath(`/catalog/${username}/${name}`))
      }}
    >
      <TextField label="New box" text={tag} placeholder="user/name" />
      <Choice label="Visibility" value={visibility} options={visibilities} />
    </ActionForm>
  )
}
