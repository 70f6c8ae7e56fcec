import {
  check,
  compile,
  type Dialect,
  type Expression,
  explain,
  type Filter,
  type FilterCompiler,
  type FilterErrorKind,
  type FilterPart,
  type FilterProblem,
  fastClosures,
  filterCompiler,
  format,
  hints,
  linearPatterns,
  parse,
  type Selected,
  type SelectorOf,
  toSql,
  type Where,
  where,
} from 'plinth/filter'
import { expectAssignable, expectError, expectNotAssignable, expectType } from 'tsd'
import * as z from 'zod'

const Job = z.object({
  Status: z.enum(['running', 'dead']),
  Priority: z.int(),
  Live: z.boolean(),
  Tags: z.array(z.string()),
  Meta: z.record(z.string(), z.string()),
  Groups: z.array(z.object({ Name: z.string(), Count: z.int() })),
  Drain: z.object({ By: z.string(), Deep: z.object({ On: z.boolean() }) }).nullable(),
  Submitted: z.date(),
})
interface Job extends z.infer<typeof Job> {}

// A filter is typed by its schema, or by what the caller says.
const filter = compile('Status == "running"', { schema: Job })
expectAssignable<Filter<Job>>(filter)
expectType<Filter<{ a: number }>>(compile<{ a: number }>('a == 1'))
expectType<Filter<unknown>>(compile('a == 1'))
// So is one of a compiler made of parts.
expectType<FilterCompiler>(filterCompiler())
expectAssignable<FilterCompiler>(compile)
expectAssignable<Filter<Job>>(
  filterCompiler(fastClosures, linearPatterns)('Status == "running"', { schema: Job }),
)
expectAssignable<FilterPart>(fastClosures)
expectError(filterCompiler('fastClosures'))
expectType<boolean>(filter.test({ ...({} as Job) }))
expectError(filter.test({ Status: 'gone' }))
// What is selected keeps its own type.
const rows: (Job & { readonly own: 1 })[] = []
expectType<(Job & { readonly own: 1 })[]>(filter.select(rows))
expectError(filter.select([{ Status: 1 }]))

expectType<Expression>(parse('a == 1'))
expectType<string>(format(parse('a == 1')))
expectType<FilterProblem[]>(check('a == 1', Job))
expectType<boolean>(explain(filter, rows[0] as Job).result)
expectType<'eq' | 'prefix' | 'in' | 'range'>(hints(filter)[0]?.op as 'eq' | 'prefix' | 'in' | 'range')
expectError(toSql(filter, { columns: {}, dialect: 'oracle' }))
expectAssignable<Dialect>('bexpr')
expectNotAssignable<FilterErrorKind>('panic')
expectError(compile('a == 1', { dialect: 'sql' }))
expectError(compile('a == 1', { evaluator: 'walk' }))
expectError(compile('a == 1', { kinds: { a: 'decimal' } }))
expectAssignable<Filter<unknown>>(
  compile('a == 1', {
    kinds: { a: 'uint16', b: { list: 'bytes', fixed: true }, c: { alias: 'd' }, e: 'hidden' },
  }),
)

// Selectors are spelt out.
expectAssignable<SelectorOf<Job>>('Status')
expectAssignable<SelectorOf<Job>>('Meta.team')
expectAssignable<SelectorOf<Job>>('Meta["region.zone"]')
expectAssignable<SelectorOf<Job>>('Groups.Count')
expectAssignable<SelectorOf<Job>>('Groups.0')
expectAssignable<SelectorOf<Job>>('Drain.Deep.On')
expectNotAssignable<SelectorOf<Job>>('Statsu')
expectNotAssignable<SelectorOf<Job>>('Groups.Size')
expectNotAssignable<SelectorOf<Job>>('Drain.Nope')
expectNotAssignable<SelectorOf<Job>>('Status.length')
expectType<number>({} as Selected<Job, 'Groups.Count'>)
expectType<string>({} as Selected<Job, 'Meta.team'>)
expectType<boolean>({} as Selected<Job, 'Drain.Deep.On'>)

// So are the values they can be compared with.
const written = where<Job>()
expectType<Where<Job>>(written.eq('Status', 'running').gt('Priority', 5).eq('Drain.Deep.On', true))
written
  .contains('Tags', 'web')
  .contains('Meta', 'team')
  .gte('Submitted', new Date(0))
  .oneOf('Groups.Count', [1, 2])
expectError(written.eq('Status', 'gone'))
expectError(written.eq('Statsu', 'running'))
expectError(written.gt('Priority', 'high'))
expectError(written.eq('Tags', 'web'))
expectError(written.eq('Live', 'yes'))
expectError(written.contains('Priority', 1))
expectError(written.contains('Tags', 1))
written.matches('Status', '^run').notMatches('Meta.team', 'x')
expectError(written.matches('Priority', '5'))
expectError(written.notMatches('Live', 't'))

// Without a type, anything may be asked.
where().eq('Status', 'running').gt('Deep.Down', 5).contains('Tags', 'web').matches('Name', '^a')
expectType<Expression>(written.expression)
