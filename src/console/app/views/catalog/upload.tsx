import { useSignal } from '@preact/signals'
import { useId } from 'preact/hooks'
import { addressOf, call, Problem } from '../../data/call.ts'
import { tokenHeaders } from '../../data/tokens.ts'
import { ActionForm } from '../../ui/action.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { sha256Of } from './sha256.ts'

interface Sent {
  readonly part: number
  readonly what: string
}

/** Publishes an image: creates missing objects, hashes the file in the page, and sends it with its checksum. */
export function Upload({ tag, reload }: { readonly tag: string; readonly reload: () => void }) {
  const id = useId()
  const version = useSignal('')
  const provider = useSignal('virtualbox')
  const architecture = useSignal('amd64')
  const file = useSignal<File | undefined>(undefined)
  const sent = useSignal<Sent | undefined>(undefined)
  const publish = async () => {
    const image = file.value
    if (!image) throw new Error('Choose a file first.')
    const [number, name, machine] = [version, provider, architecture].map(({ value }) => value.trim())
    if (!number || !name || !machine) throw new Error('Enter the version, the provider and the architecture.')
    try {
      await publishImage({ tag, number, name, machine, image }, (now) => {
        sent.value = now
      })
      reload()
    } finally {
      sent.value = undefined
    }
  }
  return (
    <ActionForm
      action="Upload"
      isLine={false}
      done="The image was uploaded. Release its version to publish it."
      run={publish}
    >
      <TextField label="Version" text={version} placeholder="1.0.0" />
      <TextField label="Provider" text={provider} />
      <TextField label="Architecture" text={architecture} />
      <label for={`${id}-file`}>Image</label>
      <input
        id={`${id}-file`}
        type="file"
        onChange={(event) => {
          file.value = event.currentTarget.files?.[0]
        }}
      />
      {sent.value && (
        <label class="progress">
          <span role="status">
            {sent.value.what} {Math.round(sent.value.part * 100)} %
          </span>
          <progress max={1} value={sent.value.part} />
        </label>
      )}
    </ActionForm>
  )
}

interface ImageOfBox {
  readonly tag: string
  readonly number: string
  readonly name: string
  readonly machine: string
  readonly image: File
}

/** Creates what is missing of a version, and sends the image with its checksum. */
async function publishImage(
  { tag, number, name, machine, image }: ImageOfBox,
  progress: (now: Sent) => void,
): Promise<void> {
  await make(`/api/v2/box/${tag}/versions`, { version: { version: number } })
  const checksum = await sha256Of(image, (part) => {
    progress({ part, what: 'Computing the checksum' })
  })
  const at = `/api/v2/box/${tag}/version/${number}`
  const one = `${at}/provider/${name}/${machine}`
  const summed = { checksum, checksum_type: 'sha256' }
  const isNew = await make(`${at}/providers`, { provider: { name, architecture: machine, ...summed } })
  // The catalog verifies an image against its stored checksum: that of the previous image is removed first.
  if (!isNew)
    await call('catalog', one, { method: 'PUT', body: { provider: { checksum: '', checksum_type: '' } } })
  const { body } = await call<{ readonly upload_path: string }>('catalog', `${one}/upload`)
  await put(body.upload_path, image, (part) => {
    progress({ part, what: 'Sending' })
  })
  if (!isNew) await call('catalog', one, { method: 'PUT', body: { provider: summed } })
}

/** Creates an object, and returns whether it was missing. */
async function make(path: string, body: unknown): Promise<boolean> {
  try {
    await call('catalog', path, { method: 'POST', body })
    return true
  } catch (error) {
    if (error instanceof Problem && /already been taken|must be unique/.test(error.message)) return false
    throw error
  }
}

/** Sends a file; only XMLHttpRequest reports progress. */
function put(url: string, file: File, progress: (part: number) => void): Promise<void> {
  const { pathname, search } = new URL(url, location.href)
  const prefix = addressOf('catalog', '')
  const request = new XMLHttpRequest()
  return new Promise((resolve, reject) => {
    request.upload.onprogress = ({ loaded, total }) => progress(total > 0 ? loaded / total : 0)
    request.onload = () =>
      request.status < 300
        ? resolve()
        : reject(new Problem(request.status, request.responseText || `status ${request.status}`))
    request.onerror = () => reject(new Problem(0, 'the upload failed'))
    request.open('PUT', (pathname.startsWith(prefix) ? '' : prefix) + pathname + search)
    for (const [name, value] of Object.entries(tokenHeaders('catalog'))) request.setRequestHeader(name, value)
    request.send(file)
  })
}
