import type { Flags, FlagValues, Word } from '../command/declaration.ts'
import { UserError } from '../user-error.ts'
import { membersOf } from './members.ts'
import { jsonObject, pairsOf, sourceText } from './pairs.ts'
import type { Scheduler } from './scheduler.ts'

export const jobFileWord = {
  name: 'FILE',
  about: 'a job in HCL, or in JSON as the API takes it; - is standard input',
} as const satisfies Word

/** Flags of commands that read a job file. */
export const jobFileFlags = {
  var: {
    type: 'string',
    value: 'NAME=VALUE',
    about: 'the value of a variable of the file (repeatable)',
    multiple: true,
  },
  'var-file': {
    type: 'string',
    value: 'FILE',
    about: 'a file of lines name = value (repeatable)',
    multiple: true,
  },
} as const satisfies Flags

/** The job in a file: JSON with or without its envelope, or HCL, which the scheduler parses. */
export async function readJob(
  scheduler: Scheduler,
  file: string,
  given: FlagValues<typeof jobFileFlags>,
): Promise<{ readonly job: Readonly<Record<string, unknown>>; readonly id: string }> {
  const text = await sourceText(file)
  const name = file === '-' ? 'standard input' : file
  const lines = await Promise.all(given['var-file'].map(sourceText))
  for (const [variable, value] of Object.entries(pairsOf(given.var)))
    lines.push(`${variable} = ${JSON.stringify(value).replaceAll('${', '$$${').replaceAll('%{', '%%{')}`)
  const job = text.trimStart().startsWith('{')
    ? jsonObject(text, name)
    : membersOf(
        await scheduler.ask('POST', 'jobs/parse', `reading ${name}`, {
          body: { JobHCL: text, Variables: lines.join('\n'), Canonicalize: true },
        }),
      )
  const inner = 'Job' in job ? membersOf(job['Job']) : job
  const id = inner['ID']
  if (typeof id !== 'string' || id === '') throw new UserError(`${name} has no job: its ID is missing`)
  return { job: inner, id }
}
