// One of any number of equal processes on one PostgreSQL database: node server.mjs DATABASE_URL
import { serve } from 'plinth/node'
import { createScheduler } from 'plinth/scheduler'
import { postgresStore } from 'plinth/store/postgres'
import postgres from 'postgres'

const [url] = process.argv.slice(2)
const sql = postgres(url, { onnotice: () => {} })
const store = await postgresStore(sql, { realm: 'scheduler' })
const scheduler = createScheduler({ store })
const server = await serve({ fetch: scheduler.fetch, port: 0 })
console.log(server.url)

process.once('SIGTERM', async () => {
  scheduler.drain()
  await server.close()
  await scheduler.close()
  await store.close()
  await sql.end()
})
