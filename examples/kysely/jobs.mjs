// A filter that a user typed, in the query of Kysely. What PostgreSQL cannot decide runs on the rows that it returns.
import { sql } from 'kysely'
import { compile, toSql } from 'plinth/filter'
import * as z from 'zod'

const Job = z.object({ name: z.string(), status: z.enum(['running', 'dead']), priority: z.int() })
const columns = { name: 'name', status: 'status', priority: 'priority' }

/** The jobs of an owner that pass a filter. Throws a FilterError that says what is wrong with the text. */
export async function findJobs(db, owner, text) {
  const filter = compile(text, { schema: Job })
  const { strings, values, rest } = toSql(filter, { columns, dialect: 'postgres', partial: true })
  const rows = await db
    .selectFrom('jobs')
    .select(['name', 'status', 'priority'])
    .where('owner', '=', owner)
    .where(sql(strings, ...values))
    .orderBy('name')
    .execute()
  return rest === undefined ? rows : rest.select(rows)
}
