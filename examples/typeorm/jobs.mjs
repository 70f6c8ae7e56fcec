// A filter that a user typed, in the query builder of TypeORM.
import { compile, toSql } from 'plinth/filter'
import { EntitySchema } from 'typeorm'
import * as z from 'zod'

export const JobEntity = new EntitySchema({
  name: 'job',
  columns: {
    name: { type: 'text', primary: true },
    owner: { type: 'text' },
    status: { type: 'text' },
    priority: { type: 'int' },
  },
})

const Job = z.object({ name: z.string(), status: z.enum(['running', 'dead']), priority: z.int() })
const columns = {
  name: { sql: 'job.name' },
  status: { sql: 'job.status' },
  priority: { sql: 'job.priority' },
}

/** The jobs of an owner that pass a filter. Throws a FilterError that says what is wrong with the text. */
export function findJobs(dataSource, owner, text) {
  const filter = compile(text, { schema: Job })
  const { strings, values } = toSql(filter, { columns, dialect: 'postgres' })
  const condition = strings.reduce((sql, part, at) => `${sql}:p${at - 1}${part}`)
  const parameters = Object.fromEntries(values.map((value, at) => [`p${at}`, value]))
  return dataSource
    .getRepository(JobEntity)
    .createQueryBuilder('job')
    .where('job.owner = :owner', { owner })
    .andWhere(`(${condition})`, parameters)
    .orderBy('job.name')
    .getMany()
}
