// For runtimes with web APIs only: versioned notes by the key/value engine on the memory store, listed by a filter.
import { systemEnv } from 'plinth'
import { compile, FilterError } from 'plinth/filter'
import { readSecret, writeSecret } from 'plinth/kv'
import { collection, memoryStore, replica, run } from 'plinth/store'

const notes = collection({ name: 'note', key: (note) => [note.name] })
const view = replica(memoryStore(), [notes])

/** PUT /notes/NAME?cas=N: a write that is based on version N. */
async function write(name, cas) {
  const written = await run(await view, notes, [name], (note) => {
    const outcome = writeSecret(note?.secret, { cas }, systemEnv())
    return outcome.ok ? { ...outcome, state: { name, secret: outcome.state } } : outcome
  })
  return written.ok
    ? Response.json({ version: written.state.secret.current })
    : Response.json(written.refusal, { status: 409 })
}

/** GET /notes?filter=EXPRESSION: the notes that pass. */
async function list(expression) {
  try {
    const filter = compile(expression)
    const notesNow = (await (await view).fresh()).scan({ prefix: notes.prefix })
    const rows = notesNow.map(({ value: { name, secret } }) => ({
      name,
      version: secret.current,
      status: readSecret(secret, 0, systemEnv().now).kind,
    }))
    return Response.json(filter.select(rows))
  } catch (error) {
    if (error instanceof FilterError) return Response.json({ message: error.message }, { status: 400 })
    throw error
  }
}

export default {
  async fetch(request) {
    const { pathname, searchParams } = new URL(request.url)
    const [, name] = /^\/notes\/(\w+)$/.exec(pathname) ?? []
    if (request.method === 'PUT' && name) return write(name, Number(searchParams.get('cas')))
    if (pathname === '/notes') return list(searchParams.get('filter') ?? 'version > 0')
    return new Response('not found', { status: 404 })
  },
}
