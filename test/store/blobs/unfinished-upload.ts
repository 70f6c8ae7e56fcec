import { directoryBlobs } from '../../../src/store/blobs/directory.ts'

// An upload that never ends, for a process that is to be killed: it says when its first bytes are written.
const blobs = await directoryBlobs(process.argv[2] ?? '')
await blobs.put(
  'theirs',
  (async function* () {
    yield Buffer.from('half')
    console.log('begun')
    await new Promise((resolve) => setTimeout(resolve, 60_000))
  })(),
)
