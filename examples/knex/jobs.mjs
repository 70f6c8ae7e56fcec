// A filter that a user typed, in the query of Knex. What PostgreSQL cannot decide runs on the rows that it returns.
import { compile, toSql } from 'plinth/filter'
import * as z from 'zod'

const Job = z.object({ name: z.string(), status: z.enum(['running', 'dead']), priority: z.int() })
const columns = { name: 'name', status: 'status', priority: 'priority' }

/** The jobs of an owner that pass a filter. Throws a FilterError that says what is wrong with the text. */
export async function findJobs(knex, owner, text) {
  const filter = compile(text, { schema: Job })
  const { strings, values, rest } = toSql(filter, { columns, dialect: 'postgres', partial: true })
  // Knex reads a question mark as a parameter: the strings between the parameters contain none but in a column's name.
  const rows = await knex('jobs')
    .where({ owner })
    .whereRaw(`(${strings.join('?')})`, values)
    .orderBy('name')
    .select('name', 'status', 'priority')
  return rest === undefined ? rows : rest.select(rows)
}
