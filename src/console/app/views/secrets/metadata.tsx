import { useSignal } from '@preact/signals'
import { Action, ActionForm } from '../../ui/action.tsx'
import { Choice } from '../../ui/choice.tsx'
import { Facts } from '../../ui/facts.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { toast } from '../../ui/toasts.tsx'
import { escapedPath, type SecretMetadata, secretsCall } from './api.ts'
import { SecretForm } from './secret-form.tsx'

const yesOrNo = ['no', 'yes'] as const

/** The metadata of a secret, and the actions that change it or delete the secret. */
export function Metadata({
  mount,
  path,
  metadata,
  reload,
}: {
  readonly mount: string
  readonly path: string
  readonly metadata: SecretMetadata
  readonly reload: () => void
}) {
  const isEditing = useSignal(false)
  const at = `${mount}metadata/${escapedPath(path)}`
  const custom = metadata.custom_metadata ?? {}
  const write = async (body: Readonly<Record<string, unknown>>) => {
    await secretsCall(at, { method: 'POST', body })
    isEditing.value = false
    toast('The metadata was changed.')
    reload()
  }
  return (
    <>
      <h2>Metadata</h2>
      <Facts
        of={[
          ['Versions kept', metadata.max_versions === 0 ? 'default of the mount' : metadata.max_versions],
          ['Check-and-set required', metadata.cas_required ? 'yes' : 'no'],
          ['Versions expire after', isNever(metadata) ? 'never' : metadata.delete_version_after],
          ...Object.entries(custom),
        ]}
      />
      {isEditing.value && (
        <>
          <h3>Settings</h3>
          <Settings metadata={metadata} write={write} />
          <h3>Custom metadata</h3>
          <SecretForm data={custom} isSecret={false} save={(custom_metadata) => write({ custom_metadata })} />
        </>
      )}
      <p class="actions">
        <button
          type="button"
          class="quiet"
          aria-expanded={isEditing.value}
          onClick={() => {
            isEditing.value = !isEditing.value
          }}
        >
          Edit metadata
        </button>
        <DeleteSecret path={path} at={at} reload={reload} />
      </p>
    </>
  )
}

const DeleteSecret = ({
  path,
  at,
  reload,
}: {
  readonly path: string
  readonly at: string
  readonly reload: () => void
}) => (
  <Action
    kind="danger"
    confirm={{
      title: `Delete ${path}?`,
      text: 'All its versions and its metadata are deleted. This cannot be undone.',
      action: 'Delete',
    }}
    done="The secret was deleted."
    run={async () => {
      await secretsCall(at, { method: 'DELETE' })
      reload()
    }}
  >
    Delete the secret
  </Action>
)

const isNever = ({ delete_version_after }: SecretMetadata): boolean => /^0s?$/.test(delete_version_after)

function Settings({
  metadata,
  write,
}: {
  readonly metadata: SecretMetadata
  readonly write: (body: Readonly<Record<string, unknown>>) => Promise<void>
}) {
  const most = useSignal(String(metadata.max_versions))
  const after = useSignal(metadata.delete_version_after)
  const cas = useSignal<(typeof yesOrNo)[number]>(metadata.cas_required ? 'yes' : 'no')
  return (
    <ActionForm
      action="Save settings"
      isLine={false}
      run={async () => {
        const max_versions = Number(most.value)
        if (!Number.isInteger(max_versions) || max_versions < 0)
          throw new Error('Versions kept must be a whole number; 0 uses the setting of the mount.')
        await write({
          max_versions,
          delete_version_after: after.value.trim(),
          cas_required: cas.value === 'yes',
        })
      }}
    >
      <TextField label="Versions kept" text={most} />
      <TextField label="Versions expire after" text={after} placeholder="72h" />
      <Choice label="Check-and-set required" value={cas} options={yesOrNo} />
    </ActionForm>
  )
}
