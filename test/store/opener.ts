import cluster from 'node:cluster'
import { parentPort } from 'node:worker_threads'
import { type SqliteStore, sqliteStore } from '../../src/store/sqlite/index.ts'

/*
 * A process or thread that opens each file it is sent, writes to it, and tells the revision, or what went wrong; sent
 * an empty text, it closes.
 */
let store: SqliteStore | undefined
const answer = (line: unknown) => parentPort?.postMessage(line) ?? process.send?.(line)

async function hear(file: string): Promise<void> {
  try {
    await store?.close()
    if (file === '') return void answer('closed')
    store = await sqliteStore(file)
    const [verdict] = await store.commit([{ id: crypto.randomUUID(), touch: ['~opened'] }])
    answer(verdict?.rev)
  } catch (error) {
    answer(String(error))
  }
}
if (parentPort === null) process.on('message', (file) => void hear(String(file)))
else parentPort.on('message', (file) => void hear(String(file)))
// A cluster drops messages that arrive before anything listens.
if (cluster.isWorker) answer('ready')
