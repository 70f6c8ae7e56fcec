// A filter that a user typed, in the query of Drizzle. What PostgreSQL cannot decide runs on the rows that it returns.
import { and, eq, sql } from 'drizzle-orm'
import { bigint, pgTable, text } from 'drizzle-orm/pg-core'
import { compile, toSql } from 'plinth/filter'
import * as z from 'zod'

export const jobs = pgTable('jobs', {
  name: text().notNull(),
  owner: text().notNull(),
  status: text().notNull(),
  priority: bigint({ mode: 'number' }).notNull(),
})

const Job = z.object({ name: z.string(), status: z.enum(['running', 'dead']), priority: z.int() })
const columns = { name: 'name', status: 'status', priority: 'priority' }

/** The jobs of an owner that pass a filter. Throws a FilterError that says what is wrong with the text. */
export async function findJobs(db, owner, expression) {
  const filter = compile(expression, { schema: Job })
  const { strings, values, rest } = toSql(filter, { columns, dialect: 'postgres', partial: true })
  const rows = await db
    .select({ name: jobs.name, status: jobs.status, priority: jobs.priority })
    .from(jobs)
    .where(and(eq(jobs.owner, owner), sql(strings, ...values)))
    .orderBy(jobs.name)
  return rest === undefined ? rows : rest.select(rows)
}
