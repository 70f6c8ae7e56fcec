// PostgreSQL inside the process: PGlite as the client of `postgresStore`, which takes turns on its one connection.
import { PGlite } from '@electric-sql/pglite'

/** Opens the database in a folder: `postgresStore(await pglitePool('./data'), { realm: 'scheduler', notify: false })`. */
export async function pglitePool(folder) {
  const database = await PGlite.create(folder)
  let free = Promise.resolve()
  return {
    options: { max: 1 },
    connect: async () => {
      const before = free
      let release
      free = new Promise((resolve) => {
        release = resolve
      })
      await before
      return {
        query: async ({ text, values }) =>
          values.length > 0 ? database.query(text, values) : (await database.exec(text)).at(-1),
        on: () => {},
        release,
      }
    },
    end: () => database.close(),
  }
}
