// A store in the SQLite database of a Durable Object: all of a realm in memory, and each commit in the database at once.
import { memoryStore } from 'plinth/store'

/** Opens the store of the object with this state. Call it in `blockConcurrencyWhile`. */
export async function durableObjectStore(state) {
  const { sql } = state.storage
  sql.exec('create table if not exists entries (key text primary key, value text, created int, modified int)')
  sql.exec('create table if not exists head (rev int)')
  const memory = memoryStore()
  const [head] = sql.exec('select rev from head')
  if (head) await memory.import(entriesIn(sql), head.rev)
  else sql.exec('insert into head values (0)')

  const write = ({ key, value, created, modified }) =>
    sql.exec('replace into entries values (?, ?, ?, ?)', key, JSON.stringify(value), created, modified)
  // In the turn of the commit: the object sends no answer before what it wrote until then is durable.
  const save = (rev, keys) => {
    try {
      state.storage.transactionSync(() => {
        const now = memory.snapshot()
        for (const key of keys) {
          const entry = now.get(key)
          if (entry) write(entry)
          else sql.exec('delete from entries where key = ?', key)
        }
        sql.exec('update head set rev = ?', rev)
      })
    } catch (error) {
      state.abort(String(error)) // it starts again with what is stored
    }
  }
  memory.onCommit(save)
  return {
    ...memory,
    import: async (entries, rev) => {
      await memory.import(entries, rev)
      save(
        rev,
        memory
          .snapshot()
          .scan({ prefix: '' })
          .map(({ key }) => key),
      )
    },
  }
}

async function* entriesIn(sql) {
  for (const entry of sql.exec('select * from entries')) yield { ...entry, value: JSON.parse(entry.value) }
}
