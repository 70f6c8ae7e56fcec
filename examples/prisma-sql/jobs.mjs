// A filter that a user typed, in a query of Prisma. `sql` of sql-template-tag is what Prisma exports as `Prisma.sql`, so
// that this runs without a generated client; with one, `query` is `(text) => prisma.$queryRaw(text)`.
import { compile, toSql } from 'plinth/filter'
import sql from 'sql-template-tag'
import * as z from 'zod'

const Job = z.object({ name: z.string(), status: z.enum(['running', 'dead']), priority: z.int() })
const columns = { name: 'name', status: 'status', priority: 'priority' }

/** The jobs of an owner that pass a filter. Throws a FilterError that says what is wrong with the text. */
export async function findJobs(query, owner, text) {
  const filter = compile(text, { schema: Job })
  const { strings, values, rest } = toSql(filter, { columns, dialect: 'postgres', partial: true })
  // What PostgreSQL cannot decide runs on the rows that it returns.
  const rows = await query(sql`select name, status, priority::int from jobs
    where owner = ${owner} and ${sql(strings, ...values)} order by name`)
  return rest === undefined ? rows : rest.select(rows)
}
