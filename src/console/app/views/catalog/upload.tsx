import { useSignal } from '@preact/signals'
import { useId } from 'preact/hooks'
import { addressOf, call, Problem } from '../../data/call.ts'
import { tokenHeaders } from '../../data/tokens.ts'
import { Action } from '../../ui/action.tsx'

interface Sent {
  readonly part: number
  readonly what: string
}

/** Publishes an image: makes what is missing, hashes the file here, and sends it with its checksum. */
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
    if (version.value === '') throw new Error('Say which version this is, as in 1.0.0.')
    try {
      await makeMissing(`/api/v2/box/${tag}/versions`, { version: { version: version.value } })
      sent.value = { part: 0, what: 'Computing the checksum' }
      const checksum = await sha256(image)
      const at = `/api/v2/box/${tag}/version/${version.value}`
      await makeMissing(`${at}/providers`, {
        provider: {
          name: provider.value,
          architecture: architecture.value,
          checksum,
          checksum_type: checksum === undefined ? undefined : 'sha256',
        },
      })
      const { body } = await call<{ readonly upload_path: string }>(
        'catalog',
        `${at}/provider/${provider.value}/${architecture.value}/upload`,
      )
      await put(body.upload_path, image, (part) => {
        sent.value = { part, what: 'Sending' }
      })
      reload()
    } finally {
      sent.value = undefined
    }
  }
  const field = (name: string, label: string, value: typeof version) => (
    <>
      <label for={`${id}-${name}`}>{label}</label>
      <input
        id={`${id}-${name}`}
        autocomplete="off"
        value={value}
        onInput={(event) => {
          value.value = event.currentTarget.value.trim()
        }}
      />
    </>
  )
  return (
    <form class="item pair" onSubmit={(event) => event.preventDefault()}>
      {field('version', 'Version', version)}
      {field('provider', 'Provider', provider)}
      {field('architecture', 'Architecture', architecture)}
      <label for={`${id}-file`}>Image</label>
      <input
        id={`${id}-file`}
        type="file"
        onChange={(event) => {
          file.value = event.currentTarget.files?.[0]
        }}
      />
      <Action done="The image is stored. Release its version to publish it." run={publish}>
        Upload
      </Action>
      {sent.value && (
        <label class="progress">
          <span role="status">
            {sent.value.what} {Math.round(sent.value.part * 100)} %
          </span>
          <progress max={1} value={sent.value.part} />
        </label>
      )}
    </form>
  )
}

/** Makes something unless it is there already. */
async function makeMissing(path: string, body: unknown): Promise<void> {
  try {
    await call('catalog', path, { method: 'POST', body })
  } catch (error) {
    const isThere =
      error instanceof Problem && (error.status === 409 || /already|taken|exists/i.test(error.message))
    if (!isThere) throw error
  }
}

/** Browsers hash what is in memory only: of larger files the catalog computes the checksum itself. */
const largestHashed = 512 * 1024 * 1024

async function sha256(file: File): Promise<string | undefined> {
  if (file.size > largestHashed || !globalThis.crypto?.subtle) return undefined
  const bytes = new Uint8Array(await crypto.subtle.digest('SHA-256', await file.arrayBuffer()))
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** Sends a file; only XMLHttpRequest tells how far it has come. */
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
    request.onerror = () => reject(new Problem(0, 'the upload broke off'))
    request.open('PUT', (pathname.startsWith(prefix) ? '' : prefix) + pathname + search)
    for (const [name, value] of Object.entries(tokenHeaders('catalog'))) request.setRequestHeader(name, value)
    request.send(file)
  })
}
